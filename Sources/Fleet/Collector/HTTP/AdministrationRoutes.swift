import FirstlightModel
import FleetModel
import Hummingbird
import Logging
import SystemSupport

/// Requests for administrators only.
struct AdministrationRoutes: Sendable {
  let store: any FleetStore
  let logger: Logger

  func add(to group: RouterGroup<APIContext>) {
    group.delete("builds/:id") { request, context in try await forget(request, context) }
  }

  /// Removes all data of one build from the store. Requires the whole build id.
  private func forget(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = context.parameters.get("id") ?? ""
    let query = try QueryPairs(request, keys: ["recorder"])
    let recorder: Recorder = try query.choice("recorder", default: .guards)
    guard let buildID = BuildID(id) else {
      throw Failure(.usage, "\"\(id)\" is not a build id", advice: "use one from /v1/builds")
    }
    let author = context.author
    let isKnown = try await store.forget(
      BuildKey(buildID: buildID, recorder: recorder), by: author,
      on: FleetDay(of: Clock.realtime()))
    guard isKnown else {
      throw Failure(.noInput, "no build \(id) recorded by \(recorder.rawValue)")
    }
    logger.notice(
      "build removed",
      metadata: ["build": "\(id)", "recorder": "\(recorder.rawValue)", "by": "\(author)"])
    return Response(status: .noContent)
  }
}
