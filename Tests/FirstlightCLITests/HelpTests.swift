import ArgumentParser
import FirstlightModel
import Foundation
import Testing

@testable import FirstlightCLI

/// What help says is what there is.
@Suite struct HelpTests {
  /// The names of a command's options, as the parser knows them.
  private static func options(_ type: any ParsableCommand.Type) throws -> Set<String> {
    struct Dump: Decodable {
      struct Command: Decodable { var arguments: [Argument]? }
      struct Argument: Decodable { var names: [Name]? }
      struct Name: Decodable { var kind, name: String }
      var command: Command
    }
    let dump = try JSONDecoder().decode(Dump.self, from: Data(type._dumpHelp().utf8))
    let names = (dump.command.arguments ?? []).flatMap { $0.names ?? [] }
    return Set(names.map { ($0.kind == "long" ? "--" : "-") + $0.name })
  }

  @Test func everyOptionOfAUsageExists() throws {
    var checked = 0
    for (words, type) in CommandTree.commands {
      let known = try Self.options(type)
      for match in (type.configuration.usage ?? "").matches(of: /(?:^|[\s\[|])(--?[a-z][a-z-]*)/) {
        #expect(known.contains(String(match.1)), "\(words): \(match.1)")
        checked += 1
      }
    }
    #expect(checked > 50)
  }

  @Test func everyCommandSaysWhatItDoesInOneSentence() {
    for (words, type) in CommandTree.commands {
      let abstract = type.configuration.abstract
      #expect(abstract.hasSuffix(".") && !abstract.contains("\n"), "\(words)")
      #expect(abstract.first?.isUppercase == true, "\(words)")
    }
    #expect(CommandTree.commands.count > 20)
  }

  @Test func helpFitsATerminal() {
    for (words, type) in CommandTree.commands {
      let help = FirstlightCommand.helpMessage(for: type, columns: 80)
      for line in help.split(separator: "\n") where line.count > 80 {
        Issue.record("\(words): \(line)")
      }
    }
  }

  /// Verdicts have codes of their own; a gate's failures are those of others plus 128.
  @Test func everyExitCodeOfHelpIsOneOfAFailureOrAVerdict() {
    let verdicts: [String: Set<Int32>] = ["gate": [0, 1, 125], "dead": [0, 1], "test": [0, 1]]
    for (words, type) in CommandTree.commands {
      let offset = words == ["gate"] ? GateCommand.failureOffset : 0
      for match in type.configuration.discussion.matches(of: /(?m)^\s+(\d+)\s\s+\w/) {
        guard let code = Int32(match.1) else { continue }
        let isVerdict = (verdicts[words.first ?? ""] ?? [0]).contains(code)
        #expect(isVerdict || Failure.Kind(rawValue: code - offset) != nil, "\(words): \(code)")
      }
    }
  }
}
