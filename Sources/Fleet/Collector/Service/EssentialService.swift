import FirstlightModel
import ServiceLifecycle

/// A part without which the daemon is of no use: if it ends by itself, the whole daemon ends, in order, and
/// says why.
struct EssentialService: Service {
  /// For people.
  let name: String
  let service: any Service

  func run() async throws {
    do {
      try await service.run()
    } catch let failure as Failure {
      throw failure
    } catch {
      guard !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
      throw Failure(.system, "\(name) failed: \(error)")
    }
    guard Task.isShuttingDownGracefully || Task.isCancelled else {
      throw Failure(.system, "\(name) ended unexpectedly")
    }
  }

  /// As a part of a group.
  var configured: ServiceGroupConfiguration.ServiceConfiguration {
    .init(
      service: self, successTerminationBehavior: .gracefullyShutdownGroup,
      failureTerminationBehavior: .gracefullyShutdownGroup)
  }
}
