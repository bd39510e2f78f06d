import FirstlightLaunch
import Logging
import ServiceLifecycle

/// Tells of each word on standard input whether it is in a list: Spelling FILE
@main
struct Spelling {
  static func main() async throws {
    let speller = Speller()
    let plan = try LaunchPlan(
      [
        LaunchTask("settings") { try await speller.readSettings(CommandLine.arguments) },
        LaunchTask("words", after: ["settings"], timeout: .seconds(30)) {
          try await speller.readWords()
        },
        LaunchTask("endings") { await speller.makeEndings() },
        .onMainActor("prompt", after: ["words", "endings"]) { Prompt.shared.isShown = true },
        // What nobody waits for.
        LaunchTask("letters", after: ["words"], stage: .afterReady) {
          await speller.countLetters()
        },
        LaunchTask("lengths", after: ["words"], stage: .idle) { await speller.countLengths() },
      ], timeout: .seconds(60))

    let report = try await plan.run { report in
      print(report)
      // The program is ready: from here on its services are ServiceLifecycle's.
      let group = ServiceGroup(
        configuration: .init(
          services: [
            .init(
              service: Answering(speller: speller),
              successTerminationBehavior: .gracefullyShutdownGroup)
          ], gracefulShutdownSignals: [.sigint, .sigterm], logger: Logger(label: "spelling")))
      try await group.run()
    }
    for entry in report.entries where entry.stage != .beforeReady {
      print("\(entry.name): \(entry.outcome)")
    }
  }
}

/// Answers until standard input ends.
struct Answering: Service {
  let speller: Speller

  func run() async throws {
    while let word = readLine() {
      let isKnown = await speller.knows(word)
      print(await Prompt.shared.text + word + (isKnown ? ": yes" : ": no"))
    }
  }
}

/// What only the main actor may touch, like a window in other programs.
@MainActor
final class Prompt {
  static let shared = Prompt()
  var isShown = false
  var text: String { isShown ? "> " : "" }
}
