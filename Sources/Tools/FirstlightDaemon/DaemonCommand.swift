import ArgumentParser
import BuildReader
import FirstlightModel
import Foundation
import SystemSupport

/// The `firstlightd` command: its subcommands, and its exit codes.
@main
struct DaemonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlightd",
    abstract: "Collects the recordings of programs, on one host or from a fleet.",
    usage: """
      firstlightd [--config FILE] [--spool DIR]
                  [--store sqlite:PATH | clickhouse:URL] [--listen ADDR:PORT]
                  [--token-file FILE] [--socket PATH] [--upstream URL]
                  [OPTIONS]
      firstlightd token add|list|revoke --file PATH
      firstlightd ready [URL]
      """,
    discussion: """
        mkdir -m 1733 /var/lib/firstlight
        firstlightd --spool /var/lib/firstlight --store sqlite:/var/lib/fleet.sqlite
        firstlight fleet dead --from sqlite:/var/lib/fleet.sqlite

      Programs built with `firstlight flags` record into a directory, the spool, if \
      FIRSTLIGHT_DIR names it. firstlightd collects the recordings of finished programs and keeps \
      them in a store, or sends them to another firstlightd. Programs never talk to it and may \
      start before it.

      `firstlightd help run` lists all options. Each is also a key of the --config file and an \
      environment variable: --user-files, user-files and FIRSTLIGHTD_USER_FILES are the same \
      setting. Options override variables, and variables override the file. See \
      Documentation/Fleet.md.

      Exit codes:
        0   stopped by SIGTERM or SIGINT
        64  wrong command line or configuration
        66  an input cannot be read
        69  not available: for example, another daemon uses the spool
        71  the operating system refused a call
        73  a file or directory cannot be created
      """,
    version: ToolVersion.text,
    subcommands: [RunCommand.self, TokenCommand.self, ReadyCommand.self],
    defaultSubcommand: RunCommand.self)

  static func main() async {
    StandardStreams.reserve()
    // Comes before any thread starts.
    BuildWorker.runIfAsked(CommandLine.arguments)
    let words = Array(CommandLine.arguments.dropFirst())
    if ClientCommand.isMeant(by: words) {
      await run(ClientCommand.self, as: "firstlight", words)
    } else {
      await run(DaemonCommand.self, as: "firstlightd", words)
    }
  }

  /// - Parameter name: the program that the user started.
  private static func run(
    _ root: any ParsableCommand.Type, as name: String, _ words: [String]
  ) async {
    func end(_ text: String, _ status: Int32) -> Never {
      FileHandle.standardError.write(Data("\(name): \(text)\n".utf8))
      Foundation.exit(status)
    }
    do {
      if ClientCommand.asksForVersion(words) { return try Output.line(ToolVersion.text) }
      try ClientCommand.check(words)
      var command = try root.parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      if error is ExitCode { root.exit(withError: error) }
      let (message, code) = (root.fullMessage(for: error), root.exitCode(for: error))
      let isHelp = !(error is Failure) && code == .success
      if let failure = isHelp ? Output.failure(writing: message) : error as? Failure {
        end("error: \(Escaping.terminal("\(failure)"))", failure.kind.rawValue)
      }
      if isHelp { Foundation.exit(0) }
      end(UsageErrorText.text(message), code.rawValue)
    }
  }
}
