import ArgumentParser
import Collector

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manages who may speak to the daemon.",
    subcommands: [Add.self, List.self, Revoke.self])

  struct File: ParsableArguments {
    @Option(help: ArgumentHelp("Where tokens are kept, hashed.", valueName: "path"))
    var file: String
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a token and prints it, once.")
    @OptionGroup var file: File
    @Option(help: "upload, read or admin. admin may do all.") var role: TokenRole
    @Option(help: "What it is for.") var name: String = ""

    func run() throws {
      let (token, entry) = try TokenFile(path: file.file).add(role: role, name: name)
      print(token)
      _ = entry
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the tokens: id, role, day, name; not the tokens themselves.")
    @OptionGroup var file: File

    func run() throws {
      for entry in try TokenFile(path: file.file).entries() { print(entry.line) }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a token back; a running daemon notices.")
    @OptionGroup var file: File
    @Argument(help: "The id that list shows.") var id: String

    func run() throws { try TokenFile(path: file.file).revoke(id: id) }
  }
}

extension TokenRole: ExpressibleByArgument {}
