import ArgumentParser
import Collector
import FirstlightModel
import SystemSupport

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manages the tokens of clients.",
    subcommands: [Add.self, List.self, Revoke.self])

  struct File: ParsableArguments {
    @Option(
      help: ArgumentHelp("File that holds the hashed tokens.", valueName: "path"),
      completion: .file())
    var file: String
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Creates a token and prints it; it cannot be shown again.")
    @OptionGroup var file: File
    @Option(help: "Role: upload, symbols, read, or admin (all rights).") var role: TokenRole
    @Option(help: "Purpose of the token, shown by list.") var name: String = ""

    func run() throws {
      let (token, _) = try TokenFile(path: file.file).add(role: role, name: name)
      try Output.line(token)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the id, role, day and name of each token.")
    @OptionGroup var file: File

    func run() throws {
      for entry in try TokenFile(path: file.file).entries() { try Output.line(entry.line) }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revokes a token; a running daemon notices.")
    @OptionGroup var file: File
    @Argument(help: "Id of the token, as shown by list.") var id: String

    func run() throws { try TokenFile(path: file.file).revoke(id: id) }
  }
}

extension TokenRole: ExpressibleByArgument {}
