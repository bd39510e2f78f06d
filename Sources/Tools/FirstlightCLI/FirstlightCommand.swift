import ArgumentParser
import DebugInfo
import Dispatch
import FirstlightModel
import Glibc
import SystemSupport

/// The tool's verbs, and how it ends.
@main
struct FirstlightCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight",
    abstract: "Shows which functions of a program run at start-up and which never run.",
    discussion: """
      Build with the flags, record a run, ask:

        swift build -c release $(firstlight flags swiftpm)
        firstlight record -o app.flp -- .build/release/app
        firstlight order app.flp -o app.order
        firstlight dead app.flp

      Or without a rebuild, where its start-up time goes:

        firstlight launch -- .build/release/app

      `firstlight --version` shows the version.

      Exit codes: 0 done; of dead 1 a gate is exceeded, 2 insufficient evidence, 3 lossy data; 64 \
      the command line is wrong; 65 the input is not what it should be; 66 an input cannot be read; \
      69 something needed is not there; 71 the system refused; 73 the output cannot be made; \
      74 reading or writing failed. `record` ends as the recorded program ended: see its help.
      """,
    groupedSubcommands: [
      CommandGroup(
        name: "Recording",
        subcommands: [
          FlagsCommand.self, RecordCommand.self, ImportCommand.self, InfoCommand.self,
          MergeCommand.self, CoverageCommand.self, SymbolizeCommand.self,
        ]),
      CommandGroup(
        name: "Never-called code", subcommands: [DeadCommand.self, WhyCommand.self]),
      CommandGroup(
        name: "Launch account",
        subcommands: [
          LaunchCommand.self, TimelineCommand.self, LibrariesCommand.self, InspectCommand.self,
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

  static func main() {
    // Neither the configuration's `version` nor a flag: subcommands that have an option of that name
    // would never see it.
    if CommandLine.arguments.dropFirst() == ["--version"] {
      print(ToolVersion.text)
      return
    }
    MemoryLimit.enable()
    do {
      var command = try parseAsRoot()
      if let command = command as? any AsyncParsableCommand { runAsync(command) }
      try command.run()
    } catch {
      end(with: error)
    }
  }

  /// Commands that record and measure wait for signals and trace from the main thread, which an
  /// asynchronous main function would give to others: so only those that need it run as tasks.
  private static func runAsync(_ command: any AsyncParsableCommand) -> Never {
    nonisolated(unsafe) var command = command
    Task {
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
    CommandLine.arguments.dropFirst().first == GateCommand.configuration.commandName
      ? GateCommand.failureOffset : 0
  }

  private static func end(with error: any Error) -> Never {
    if let failure = error as? Failure {
      Terminal.report("error: \(failure)")
      Glibc.exit(failure.kind.rawValue + failureOffset)
    }
    // A verdict stands as it is, and so does help that was asked for.
    if failureOffset != 0, !(error is ExitCode), exitCode(for: error) != .success {
      Terminal.report(message(for: error))
      Glibc.exit(exitCode(for: error).rawValue + failureOffset)
    }
    exit(withError: error)
  }
}
