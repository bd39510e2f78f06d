import ArgumentParser
import Collector
import FirstlightModel
import HTTPTransport
import SystemSupport

struct ReadyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ready",
    abstract: "Asks a running firstlightd whether it is ready.",
    discussion: """
        firstlightd ready && firstlight fleet builds --from http://127.0.0.1:8123

      A daemon is ready if its spool can be read and its store or upstream was there when it was \
      last needed. For health checks of containers and scripts; other programs ask GET /readyz, \
      which needs no token.

      Exit codes: 0 ready, 64 wrong command line, 69 not ready or nobody there.
      """)

  @Flag(help: "Ask only whether it is running.")
  var alive = false

  @Option(
    help: ArgumentHelp("Certificates that sign the daemon's.", valueName: "file"),
    completion: .file())
  var ca: String?

  @Argument(help: ArgumentHelp("Where it listens.", valueName: "url"))
  var url = "http://127.0.0.1:8123"

  func run() async throws {
    var options = HTTPTransport.Options(connectTimeout: 5, readTimeout: 5)
    options.tls.authorities = ca
    let client = try FleetClient(url: url, token: nil, transport: try HTTPTransport(options))
    do throws(Failure) {
      _ = try await client.bytes(alive ? "/healthz" : "/readyz", timeout: 5)
    } catch {
      // Any other server at this address is no ready firstlightd.
      throw Failure(.unavailable, error.problem, advice: error.advice)
    }
    try Output.line(alive ? "running" : "ready")
  }
}
