import ArgumentParser
import ProcessControl

struct RetireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Writes a patch that deprecates functions that nothing called for long enough.",
    usage: "firstlight retire [FILE.flp ...] [<options>]",
    discussion: """
        firstlight retire -o retire.diff

      Starts firstlight-prune, a program of its own: firstlight retire --help shows its options.
      """)

  @Argument(parsing: .captureForPassthrough, help: "What firstlight-prune takes.")
  var arguments: [String] = []

  func run() throws {
    throw SiblingProgram("firstlight-prune").replace(with: ["retire"] + arguments)
  }
}
