import ArgumentParser
import Hummingbird
import Logging

/// Keeps notes in memory and serves them as JSON, on the loopback interface only.
@main
struct WebService: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "WebService",
    abstract: "A small JSON service that keeps notes in memory.")

  @Option(help: "Port on 127.0.0.1; 0 takes any free one. The port in use is printed.")
  var port = 8080

  func validate() throws {
    guard (0...65535).contains(port) else {
      throw ValidationError("A port is a number from 0 to 65535, not \(port).")
    }
  }

  /// Serves until SIGTERM or SIGINT, then finishes the requests in flight.
  func run() async throws {
    var logger = Logger(label: "web-service")
    logger.logLevel = .notice
    let application = Application(
      router: makeRouter(store: NoteStore()),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        announce(port: channel.localAddress?.port ?? 0)
      },
      logger: logger)
    try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint])
  }
}
