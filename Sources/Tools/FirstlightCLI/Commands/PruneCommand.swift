import ArgumentParser
import FirstlightModel
import ProcessControl

struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Writes a patch that removes never-called functions to which nothing refers.",
    usage: "firstlight prune [FILE.flp ...] [<options>]",
    discussion: """
        firstlight prune -o prune.diff

      Starts firstlight-prune, a program of its own: firstlight prune --help shows its options.
      """)

  @Argument(parsing: .captureForPassthrough, help: "What firstlight-prune takes.")
  var arguments: [String] = []

  func run() throws { throw SiblingProgram("firstlight-prune").replace(with: arguments) }
}
