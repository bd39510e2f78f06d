import FirstlightModel
import FleetModel
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import ServiceLifecycle

/// The HTTP side of the daemon.
struct APIServer: Sendable {
  let configuration: DaemonConfiguration
  let store: (any FleetStore)?
  let status: StatusReport
  let symbolizer: Symbolizer?
  let metrics: PrometheusMetrics
  let monitor: DaemonMonitor
  let logger: Logger

  /// - Throws: `Failure` if a certificate, key or token file cannot be used.
  func service(
    listening: ListenAddress, onReady: @escaping @Sendable (Int) async -> Void
  ) throws -> any Service {
    let gate = try configuration.tokenFile.map { path throws(Failure) in
      try TokenGate(file: TokenFile(path: path))
    }
    var channel = HTTP1Channel.Configuration()
    channel.idleTimeout = .seconds(60)
    var server = HTTPServerBuilder.http1(configuration: channel)
    if configuration.tls.certificate != nil {
      server = try .tls(server, tlsConfiguration: configuration.tls.server())
    }
    let limit = configuration.connections
    return Application(
      router: router(gate), server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(listening.host, port: listening.port), serverName: "firstlightd",
        availableConnectionsDelegate: MaximumAvailableConnections(limit)),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? listening.port) },
      logger: logger)
  }

  private func router(_ gate: TokenGate?) -> Router<APIContext> {
    let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
    router.addMiddleware {
      MetricsMiddleware()
      ProblemMiddleware()
    }
    router.get("healthz") { _, _ in QueryRoutes.text("ok\n", type: "text/plain") }
    router.get("readyz") { _, _ -> Response in
      if let obstacle = await status.obstacle() {
        return Problem.response(.serviceUnavailable, detail: obstacle)
      }
      return QueryRoutes.text("ready\n", type: "text/plain")
    }
    router.get("v1/openapi.json") { _, _ in
      QueryRoutes.text(OpenAPIDocument.text, type: "application/json")
    }
    let asking = router.group("").add(middleware: TokenMiddleware(gate: gate, role: .read))
    asking.get("metrics") { _, _ in
      QueryRoutes.text(metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8")
    }
    if let store {
      QueryRoutes(store: store, status: status).add(to: asking.group("v1"))
      DashboardRoutes(store: store, status: status).add(to: asking)
      if let symbolizer {
        IngestRoutes(
          store: store, configuration: configuration, monitor: monitor, symbolizer: symbolizer,
          logger: logger
        ).add(
          to: router.group("v1").add(middleware: TokenMiddleware(gate: gate, role: .upload)))
      }
    } else {
      asking.get("v1/status") { _, _ in JSONAnswer.response(try await status.document()) }
    }
    return router
  }
}
