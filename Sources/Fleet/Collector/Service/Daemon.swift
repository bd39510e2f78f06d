import FirstlightModel
import Logging
import Metrics
import ServiceLifecycle

/// firstlightd: collects recordings of this host, or receives them from other hosts, and stores or forwards
/// them.
package struct Daemon: Sendable {
  private let configuration: DaemonConfiguration
  private let logger: Logger
  private let metrics = PrometheusMetrics()

  /// - Throws: `.usage` if the configuration contradicts itself.
  package init(_ configuration: DaemonConfiguration) throws(Failure) {
    try configuration.check()
    self.configuration = configuration
    LogSetup.bootstrap(level: configuration.logLevel, asJSON: configuration.logsJSON)
    MetricsSystem.bootstrap(metrics)
    logger = Logger(label: "firstlightd")
  }

  /// Runs until SIGTERM or SIGINT. Work in progress is finished, or kept for the next start.
  ///
  /// - Parameter cutOff: ends the process at once. Called if work does not end in time.
  package func run(cutOff: @escaping @Sendable () -> Void) async throws {
    let stop = await StopSignals(logger: logger, cutOff: cutOff)
    for note in configuration.notes { logger.warning("\(note)") }
    let resources = try await DaemonResources(configuration, logger)
    let services = DaemonServices(
      configuration: configuration, resources: resources, metrics: metrics, logger: logger)
    let group = ServiceGroup(
      configuration: .init(services: try services.all(stop).map(\.configured), logger: logger))
    stop.end(group)
    try await group.run()
    logger.info("stopped")
  }
}
