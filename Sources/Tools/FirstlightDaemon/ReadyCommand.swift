import ArgumentParser
import FirstlightModel
import Foundation
import HTTPTransport

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
    let path = alive ? "/healthz" : "/readyz"
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    let answer = try await HTTPTransport(options).send(
      HTTPRequest("GET", base + path, timeout: 5, answerLimit: 65536))
    guard answer.status == 200 else {
      let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body))
      throw Failure(.unavailable, "\(url): \(problem?.detail ?? "status \(answer.status)")")
    }
    print(alive ? "running" : "ready")
  }

  /// Of RFC 9457, what says why it is not ready.
  private struct Problem: Decodable {
    var detail: String?
  }
}
