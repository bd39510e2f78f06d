import FirstlightModel
import FleetModel
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle

/// The HTTP server of the daemon.
struct APIServer: Sendable {
  let configuration: DaemonConfiguration
  let store: (any FleetStore)?
  /// Writes uploaded batches to `store`.
  let states: StateIntake?
  let status: StatusReport
  let symbolizer: Symbolizer?
  let metrics: PrometheusMetrics
  let monitor: DaemonMonitor
  let logger: Logger

  /// - Parameter socket: listens already.
  /// - Throws: `Failure` if a certificate or key cannot be used.
  func service(on socket: CInt) throws -> any Service {
    let limit = connectionLimit()
    let table = ConnectionTable(
      limit: limit, peerLimit: configuration.peerConnections ?? max(1, limit / 4))
    let http = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ConnectionClock(pace: configuration.pace, table: table, monitor: monitor)
      ])
    let channel = RequestChannel(
      base: HTTP1Channel(responder: responder(table), configuration: http))
    if configuration.tls.certificate == nil { return service(channel, socket, limit) }
    return service(
      try TLSChannel(channel, tlsConfiguration: configuration.tls.server()), socket, limit)
  }

  private func service<Channel: ServerChildChannel>(
    _ channel: Channel, _ socket: CInt, _ limit: Int
  ) -> HTTPService<Channel> {
    HTTPService(socket: socket, limit: limit, connection: channel, logger: logger)
  }

  private func responder(_ table: ConnectionTable) -> HTTPChannelHandler.Responder {
    let responder = router(table).buildResponder()
    return { request, writer, channel in
      let context = APIContext(
        source: ApplicationRequestContextSource(channel: channel, logger: logger))
      var response = try await responder.respond(to: request, context: context)
      response.headers[.server] = "firstlightd"
      response.headers[.date] = HTTPDate.now()
      try await writer.write(response: response.head, body: response.body)
    }
  }

  private func connectionLimit() -> Int {
    let limit = DescriptorLimit.connections(wanted: configuration.connections)
    if limit < configuration.connections {
      logger.warning(
        "fewer connections than configured",
        metadata: [
          "connections": "\(limit)", "configured": "\(configuration.connections)",
          "descriptors": "\(DescriptorLimit.current)",
        ])
    }
    return limit
  }

  private func router(_ table: ConnectionTable) -> Router<APIContext> {
    let admission = status.admission
    let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
    router.addMiddleware {
      MetricsMiddleware()
      SecurityHeadersMiddleware()
      ProblemMiddleware()
      AnswerGapsMiddleware()
      ForeignPageMiddleware(checksHost: configuration.tokenFile == nil)
    }
    router.get("healthz") { _, _ in QueryRoutes.text("ok\n", type: "text/plain") }
    let readiness = Readiness(status)
    router.get("readyz") { _, _ -> Response in
      if let obstacle = await readiness.obstacle() {
        return Problem.response(.serviceUnavailable, detail: obstacle)
      }
      return QueryRoutes.text("ready\n", type: "text/plain")
    }
    router.get("v1/openapi.json") { _, _ in
      QueryRoutes.text(OpenAPIDocument.text, type: "application/json")
    }
    let asking = router.group("").add(
      middleware: AdmissionMiddleware(admission: admission, role: .read))
    let budget = BodyBudget(limit: configuration.bodyMemory - configuration.inflatedLimit)
    asking.get("metrics") { _, _ in
      monitor.received(bytes: budget.held)
      return QueryRoutes.text(metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8")
    }
    if let store {
      let questions = asking.group("").add(
        middleware: QuestionMiddleware(
          places: QuestionPlaces(limit: QuestionMiddleware.limit), table: table))
      QueryRoutes(store: store, status: status).add(to: questions.group("v1"))
      DashboardRoutes(store: store, status: status).add(to: questions)
      AdministrationRoutes(store: store, logger: logger).add(
        to: router.group("v1").add(
          middleware: AdmissionMiddleware(admission: admission, role: .admin)))
      if let symbolizer, let states {
        let ingest = IngestRoutes(
          store: store, states: states, configuration: configuration,
          budget: budget, monitor: monitor, symbolizer: symbolizer, logger: logger)
        for role in [TokenRole.upload, .symbols] {
          ingest.add(
            role,
            to: router.group("v1").add(
              middleware: AdmissionMiddleware(admission: admission, role: role)))
        }
      }
    } else {
      asking.get("v1/status") { _, _ in try JSONAnswer.response(try await status.document()) }
    }
    return router
  }
}

/// Facts about a request that are not in the request.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The token that admitted the request; nil: no token was needed.
  var token: TokenEntry?

  /// The sender of the request, for logs.
  var author: String { token.map { "token \($0.id) (\($0.name))" } ?? "unknown client" }

  /// The connection of the request.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
