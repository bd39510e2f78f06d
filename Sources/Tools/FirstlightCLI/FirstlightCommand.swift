import ArgumentParser
import DebugInfo
import Dispatch
import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// The `firstlight` command: its subcommands, and its exit codes.
@main
struct FirstlightCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight",
    abstract: "Shows which functions of a program run at start-up and which never run.",
    discussion: """
      Build with the flags, record a run, then make an order and list unused code:

        swift build -c release $(firstlight flags swiftpm --counters)
        firstlight record -o app.flp .build/release/app
        firstlight order app.flp -o app.order
        firstlight dead app.flp

      Without a rebuild, see where start-up time goes:

        firstlight launch .build/release/app

      `firstlight --version` shows the version.

      Exit codes:
        0   success
        64  wrong command line
        65  invalid input: damaged, or of another build or program
        66  an input cannot be read
        69  a tool, permission or port is not available
        71  the operating system refused a call
        73  the output cannot be created
        74  reading or writing failed

      Some commands have exit codes of their own: see their help. \
      Outputs replace a regular file in one step and keep its permissions. Links are followed; \
      devices and pipes are written to; - is standard output.
      """,
    groupedSubcommands: [
      CommandGroup(
        name: "Recording",
        subcommands: [
          FlagsCommand.self, RecordCommand.self, ImportCommand.self, InfoCommand.self,
          MergeCommand.self, SymbolizeCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Never-called code",
        subcommands: [
          TestCommand.self, DeadCommand.self, WhyCommand.self, PruneCommand.self,
        ]),
      CommandGroup(
        name: "Start-up",
        subcommands: [
          LaunchCommand.self, TimelineCommand.self, LibrariesCommand.self, InspectCommand.self,
          SizeCommand.self,
        ]),
      CommandGroup(
        name: "Optimizing",
        subcommands: [
          OptimizeCommand.self, OrderCommand.self, VerifyCommand.self, CompareCommand.self,
          GateCommand.self,
        ]),
      CommandGroup(
        name: "Fleet",
        subcommands: [UploadCommand.self, UploadSymbolsCommand.self, FleetCommand.self]),
    ])

  static func main() { UsualStack.run { FirstlightCommand.runMain() } }

  private static func runMain() {
    StandardStreams.reserve()
    let arguments = Array(CommandLine.words.dropFirst())
    // The `version` of the configuration would hide options of that name in subcommands.
    do {
      if CommandWords(arguments).askForVersion {
        return try Output.line(ToolVersion.text)
      }
      let named = configuration.subcommands.first { $0._commandName == arguments.dropFirst().first }
      if arguments.first == "help", named is any FleetProgramCommand.Type {
        throw SiblingProgram("firstlightd").replace(with: arguments.dropFirst() + ["--help"])
      }
      try CommandWords(arguments).check()
      var command = try parseAsRoot(CommandWords(arguments).parsed)
      if let command = command as? any AsyncParsableCommand { runAsync(command) }
      try command.run()
    } catch {
      end(with: error)
    }
  }

  /// Runs a command as a task. Other commands stay on the main thread, because they wait for signals and trace,
  /// and an asynchronous main function would move them to other threads.
  private static func runAsync(_ command: any AsyncParsableCommand) -> Never {
    nonisolated(unsafe) var command = command
    Task { @Sendable in
      do {
        try await command.run()
        Glibc.exit(0)
      } catch {
        end(with: error)
      }
    }
    dispatchMain()
  }

  private static var failureOffset: Int32 {
    CommandLine.words.dropFirst().first == GateCommand.configuration.commandName
      ? GateCommand.failureOffset : 0
  }

  private static func end(with error: any Error) -> Never {
    if error is ExitCode { exit(withError: error) }
    let (message, code) = (fullMessage(for: error), exitCode(for: error))
    let isHelp = !(error is Failure) && code == .success
    if let failure = isHelp ? Output.failure(writing: message) : error as? Failure {
      Terminal.report("error: \(failure)")
      Glibc.exit(failure.kind.rawValue + failureOffset)
    }
    if isHelp { Glibc.exit(0) }
    Terminal.report(UsageErrorText.text(message, hint: TestCommand.hint(on: message)))
    Glibc.exit(code.rawValue + failureOffset)
  }
}
