import Foundation
import TestSupport
import Testing

/// Profiles whose numbers no recording has, and files that are no files: every command ends with one line.
@Suite(.tags(.compiler)) struct ForgedProfileTests {
  private let program: Fixture
  private let profile: String
  private var directory: TemporaryDirectory { program.directory }

  init() throws {
    program = try Fixture.c(
      """
      __attribute__((noinline)) int used(int x) { return x + 1; }
      int never(void) { return 2; }
      int main(int count, char **words) { return used(count) > 9 ? never() : 0; }
      """, options: ["-O0"])
    profile = try program.record()
  }

  @Test(arguments: [
    "UPDATE function SET size = -1", "UPDATE run SET started_at = -9e999",
    "UPDATE run SET ended_at = 1e300", "UPDATE run SET cores = -9223372036854775808",
    "UPDATE process SET ready_after = 1e300", "UPDATE process SET drops = 9223372036854775807",
    "UPDATE process SET running_processes = -9223372036854775808",
    "UPDATE coverage SET runs = 9223372036854775807", "UPDATE coverage SET last_seen = 9e999",
    "UPDATE build SET counted_runs = -1",
  ])
  func aForgedNumberEndsEachCommandWithOneLine(statement: String) throws {
    let forged = directory.path("forged.flp")
    try Command.check(["cp", profile, forged])
    try Command.check(["sqlite3", forged, statement])
    for words in [
      ["info", forged], ["dead", forged, "--all"], ["order", forged], ["timeline", forged],
      ["merge", forged, profile, "-o", directory.path("merged.flp")],
    ] {
      let result = try Command.run([Toolchain.firstlight] + words, in: directory.url)
      // Lists need no more than sums of processes.
      let isUnread = statement.contains("ready_after") || statement.contains("cores")
      if result.status == 0, isUnread, words[0] == "dead" { continue }
      try expectOneLine(result, status: 65, saying: "damaged profile")
    }
  }

  /// What two sound profiles share is taken off one of them, once.
  @Test func aRunThatIsCountedLessThanItsTraceIsDamage() throws {
    let other = try program.record()
    let both = directory.path("both.flp")
    try Command.check([Toolchain.firstlight, "merge", profile, other, "-o", both])
    try Command.check(["sqlite3", both, "UPDATE build SET runs = 0"])
    let third = try program.record()
    let pair = directory.path("pair.flp")
    try Command.check([Toolchain.firstlight, "merge", profile, third, "-o", pair])
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "merge", pair, both, "-o", both]), status: 65,
      saying: "has calls that its builds do not count")
  }

  /// As a repository or a binary from elsewhere can name them.
  @Test(.timeLimit(.minutes(2)), arguments: ["pipe", "/dev/zero"])
  func sourcesAndSettingsThatAreNoFilesAreNotRead(name: String) throws {
    try Command.check(["mkfifo", directory.path("pipe")])
    let place = name.hasPrefix("/") ? name : directory.path(name)
    let source = try directory.write(
      "#line 1 \"\(place)\"\nvoid never(void) {}\nint main(void) { return 0; }\n", to: "odd.c")
    let odd = try Fixture.c(try String(contentsOfFile: source, encoding: .utf8), options: ["-O0"])
    let listed = try Command.run(
      [Toolchain.firstlight, "dead", try odd.record(), "--all"], in: directory.url)
    #expect(listed.status == 0 && listed.output.contains("never"), "\(listed.errors)")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path(".firstlight.yml"), withDestinationPath: place)
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "dead", profile], in: directory.url), status: 66,
      saying: ".firstlight.yml: not a regular file")
  }
}
