import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import Collector
@testable import FirstlightDaemon

/// The daemon's command line and its document: each setting is an option of its name, and described.
@Suite struct SettingOptionsTests {
  @Test(arguments: Setting.all.map(\.key))
  func everySettingIsAnOption(key: String) throws {
    #expect(try RunCommand.parse(["--\(key)", "value"]).given == [TextBytes(key): "value"])
  }

  @Test func allSettingsMayBeGivenAtOnce() throws {
    let keys = Setting.all.map(\.key)
    let given = try RunCommand.parse(keys.flatMap { ["--\($0)", "of \($0)"] }).given
    #expect(given == Dictionary(uniqueKeysWithValues: keys.map { (TextBytes($0), "of \($0)") }))
  }

  @Test func whatIsNotGivenIsNoSetting() throws {
    #expect(try RunCommand.parse([]).given.isEmpty)
    let command = try RunCommand.parse(["--config", "/etc/firstlightd.conf"])
    #expect(command.config == "/etc/firstlightd.conf")
    #expect(command.given.isEmpty)
  }

  @Test func theLastOfTwoCounts() throws {
    let given = try RunCommand.parse(["--user-files", "1", "--user-files=2"]).given
    #expect(given == ["user-files": "2"])
  }

  @Test(arguments: [
    ["--user-fils", "1"], ["--user-files"], ["spool"], ["--spool", "a", "b"],
  ])
  func slipsAreRefused(words: [String]) {
    #expect(throws: (any Error).self) { try RunCommand.parse(words) }
  }

  @Test func helpShowsGroupsFormsAndDefaults() {
    let help = RunCommand.helpMessage(columns: 200)
    for line in [
      "QUEUES AND QUOTAS:", "--user-bytes <size>", "one user's recordings, running processes",
      "included (default: 4G).", "(default: 128M).", "(default: the system's).", "(default: 730).",
      "--log-format <text | json>", "(default: /usr/lib/debug).", "(default: 1024).",
    ] {
      #expect(help.replacing(/\s+/, with: " ").contains(line), "\(line)")
    }
  }

  /// The table of the document is that of the settings, to the letter.
  @Test func theDocumentHasAllSettings() throws {
    let rows = Setting.all.map { setting in
      let form = setting.form.replacing("|", with: "\\|")
      return "| `\(setting.key)` | `\(form)` | \(setting.standard ?? "") | \(setting.meaning) |"
    }
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Fleet.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "## Settings\n").last?.components(separatedBy: "\n## ").first)
    let described = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(described == rows, "the table should be:\n\(rows.joined(separator: "\n"))")
  }
}
