import Testing

@testable import Collector
@testable import FirstlightDaemon

/// The daemon's command line: each setting is an option of its name.
@Suite struct SettingOptionsTests {
  private static func groups(_ command: RunCommand) -> [any SettingOptions] {
    [
      command.main, command.upstream, command.server, command.host, command.waiting,
      command.retention, command.symbols, command.log,
    ]
  }

  /// What a command line gives, by setting.
  private static func given(_ words: [String]) throws -> [String: String] {
    groups(try RunCommand.parse(words)).reduce(into: [:]) { given, group in
      given.merge(group.given) { _, _ in
        Issue.record("two groups have one option")
        return ""
      }
    }
  }

  @Test(arguments: Setting.all.map(\.key))
  func everySettingIsAnOption(key: String) throws {
    #expect(try Self.given(["--\(key)", "value"]) == [key: "value"])
  }

  @Test func everyOptionIsASetting() throws {
    let words = Setting.all.flatMap { ["--\($0.key)", "of \($0.key)"] }
    let given = try Self.given(words)
    #expect(
      given == Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.key, "of \($0.key)") }))
    let options = Self.groups(try RunCommand.parse([])).reduce(0) {
      $0 + Mirror(reflecting: $1).children.count
    }
    #expect(options == given.count)
  }

  @Test func whatIsNotGivenIsNoSetting() throws {
    #expect(try Self.given([]).isEmpty)
    let command = try RunCommand.parse(["--config", "/etc/firstlightd.conf"])
    #expect(command.config == "/etc/firstlightd.conf")
    #expect(Self.groups(command).allSatisfy { $0.given.isEmpty })
  }

  @Test func theLastOfTwoCounts() throws {
    #expect(
      try Self.given(["--user-files", "1", "--user-files=2"]) == ["user-files": "2"])
  }

  @Test(arguments: [
    ["--user-fils", "1"], ["--user-files"], ["spool"], ["--spool", "a", "b"],
  ])
  func slipsAreRefused(words: [String]) {
    #expect(throws: (any Error).self) { try RunCommand.parse(words) }
  }
}
