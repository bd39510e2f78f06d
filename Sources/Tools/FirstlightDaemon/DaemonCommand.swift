import ArgumentParser
import BuildReader
import FirstlightModel
import Foundation

/// The daemon's command line, and how it ends.
@main
struct DaemonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlightd",
    abstract: "Collects which functions programs ran, on one host or from many.",
    usage: """
      firstlightd [--config FILE] [--spool DIR] [--store sqlite:PATH | clickhouse:URL]
                  [--listen ADDR:PORT] [--token-file FILE] [--socket PATH] [--upstream URL]
                  [OPTIONS]
      firstlightd token add|list|revoke --file PATH
      firstlightd requeue --spool DIR [--dry-run]
      """,
    discussion: """
      Programs built for Firstlight record into a directory, the spool, when FIRSTLIGHT_DIR names \
      it. firstlightd takes in what finished ones leave there and keeps it in a store, or sends it \
      on to another firstlightd:

        mkdir -m 1733 /var/lib/firstlight
        firstlightd --spool /var/lib/firstlight --store sqlite:/var/lib/fleet.sqlite
        firstlight fleet dead --from sqlite:/var/lib/fleet.sqlite

      `firstlightd help run` explains all options. Each is also a key of the file that --config names, \
      and an environment variable: --user-files, user-files and FIRSTLIGHTD_USER_FILES are one setting. \
      Options win over variables, and those over the file. Programs need no daemon to run and none to have \
      been started before them. Documentation/Fleet.md tells the rest.

      Exit codes: 0 stopped by SIGTERM or SIGINT; 64 the command line or configuration is wrong; \
      66 an input cannot be read; 69 something needed is not there, as when another daemon has the \
      spool; 71 the system refused; 73 something cannot be made.
      """,
    version: ToolVersion.text,
    subcommands: [RunCommand.self, TokenCommand.self, RequeueCommand.self],
    defaultSubcommand: RunCommand.self)

  static func main() async {
    // Before anything starts a thread.
    BuildWorker.runIfAsked(CommandLine.arguments)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as Failure {
      FileHandle.standardError.write(
        Data("firstlightd: error: \(PrintableText.of("\(failure)"))\n".utf8))
      Foundation.exit(failure.kind.rawValue)
    } catch {
      exit(withError: error)
    }
  }
}
