import Foundation
import TestSupport
import Testing

/// What `-o` names may be a device, a pipe or a link, or no place at all: for all commands alike.
@Suite(.tags(.compiler)) struct OutputFileTests {
  private let program: Fixture
  private let profile: String
  private var directory: TemporaryDirectory { program.directory }

  init() throws {
    program = try Fixture.c(
      "void never(void) {}\nint main(void) { return 0; }", options: ["-O0"])
    profile = try program.record()
  }

  /// Each with `OUT` where the output's path goes; PROFILE and PROGRAM are what they say.
  private static let commands: [[String]] = [
    ["record", "-o", "OUT", "--", "PROGRAM"],
    ["record", "--no-rebuild", "-o", "OUT", "--", "PROGRAM"],
    ["merge", "PROFILE", "-o", "OUT"],
    ["dead", "PROFILE", "--format", "html", "-o", "OUT"],
    ["dead", "PROFILE", "--write-baseline", "OUT"],
    ["order", "PROFILE", "-o", "OUT"],
    ["timeline", "PROFILE", "--format", "json", "-o", "OUT"],
    ["launch", "--runs", "1", "-o", "OUT", "PROGRAM"],
    ["launch", "--runs", "1", "--profile", "OUT", "PROGRAM"],
    ["compare", "--runs", "5", "--warm", "-o", "OUT", "PROGRAM", "PROGRAM"],
    ["gate", "--runs", "10", "--baseline", "OUT", "--write-baseline", "PROGRAM"],
  ]

  private func run(_ words: [String], to output: String, before: [String] = []) throws
    -> CommandResult
  {
    let names = ["OUT": output, "PROFILE": profile, "PROGRAM": program.executable]
    return try Command.run(
      before + [Toolchain.firstlight] + words.map { names[$0] ?? $0 }, in: directory.url)
  }

  @Test(.enabled(if: geteuid() == 0, "making devices takes root"), arguments: commands)
  func devicesAndLinksStayWhatTheyAre(words: [String]) throws {
    let device = directory.path("null")
    try Command.check(["mknod", device, "c", "1", "3"])
    let (link, target) = (directory.path("link"), directory.path("folder/target"))
    try FileManager.default.createDirectory(
      atPath: directory.path("folder"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "folder/target")
    for output in [device, link, link] {
      let result = try run(words, to: output)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(
      try Command.check(["stat", "-c", "%F %t:%T", device]) == "character special file 1:3\n")
    #expect(try Command.check(["readlink", link]) == "folder/target\n")
    #expect(try Command.check(["stat", "-c", "%F", target]) == "regular file\n")
    #expect(try Command.check(["ls", "-A", directory.path("folder")]) == "target\n")
  }

  /// A recording of an hour would be in vain.
  @Test(arguments: commands)
  func whatCannotBeWrittenIsRefusedInOneLine(words: [String]) throws {
    let folder = directory.path("folder")
    try directory.write("kept", to: "folder/file")
    let before = directory.entries
    for (output, problem) in [
      (folder, "\(folder): is a directory"),
      ("\(folder)/no/file", "\(folder)/no/: cannot write here: No such file or directory"),
      ("\(folder)/file/", "\(folder)/file/: cannot write: Not a directory"),
    ] {
      let result = try run(words, to: output)
      #expect(result.status == (words[0] == "gate" ? 201 : 73), "\(result.errors)")
      #expect(result.output == "")
      #expect(
        result.errors == "firstlight: error: \(problem); choose another place\n")
    }
    #expect(directory.entries == before)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func whatIsReadOnlyStays() throws {
    let stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    let file = try directory.write("kept", to: "open/file")
    try #require(chmod(file, 0o444) == 0 && chmod(directory.path("open"), 0o777) == 0)
    let merge = ["merge", "PROFILE", "-o", "OUT"]
    let refused = try run(merge, to: file, before: stranger)
    #expect(refused.status == 73)
    #expect(refused.errors.contains("file: cannot write: Permission denied"), "\(refused.errors)")
    try #require(chmod(file, 0o666) == 0 && chmod(directory.path("open"), 0o755) == 0)
    let closed = try run(merge, to: file, before: stranger)
    #expect(closed.status == 73)
    #expect(
      closed.errors.contains("open/: cannot write here: Permission denied"), "\(closed.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    #expect(try Command.check(["ls", "-A", directory.path("open")]) == "file\n")
  }

  @Test(
    .enabled(if: SmallDisk.isPossible, "mounting takes root"),
    arguments: [commands[2], commands[4]])
  func aFullDiskLeavesTheOldFile(words: [String]) throws {
    let disk = try SmallDisk()
    try Data("kept".utf8).write(to: URL(filePath: disk.path("result")))
    try disk.fill()
    let result = try run(words, to: disk.path("result"))
    #expect(result.status == 73)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].contains("\(disk.path("result")): cannot write"))
    #expect(lines[0].contains("full") || lines[0].contains("No space left"), "\(lines)")
    #expect(try String(contentsOfFile: disk.path("result"), encoding: .utf8) == "kept")
    #expect(try Command.check(["ls", "-A", disk.path("")]) == "ballast\nresult\n")
  }

  @Test func standardOutputHasItsNames() throws {
    let plain = try run(["merge", "PROFILE", "-o", "OUT"], to: directory.path("plain.flp"))
    #expect(plain.status == 0)
    // Of our own: a tool that replaces links must not meet the machine's.
    let stdout = directory.path("stdout")
    try FileManager.default.createSymbolicLink(
      atPath: stdout, withDestinationPath: "/proc/self/fd/1")
    let merge = "\(Toolchain.firstlight) merge \(profile) -o"
    for (name, redirection) in [
      ("-", ">"), (stdout, ">"), ("/dev/fd/7", "7>"), (stdout, "| cat >"),
    ] {
      let result = directory.path("result.flp")
      let errors = try Command.run(["bash", "-c", "\(merge) \(name) \(redirection) \(result)"])
      #expect(errors.status == 0, "\(errors.errors)")
      #expect(
        FileManager.default.contentsEqual(atPath: result, andPath: directory.path("plain.flp")))
    }
    let appended = try Command.run(
      [
        "bash", "-c",
        "{ echo before; \(Toolchain.firstlight) order \(profile) -o stdout; } > o",
      ], in: directory.url)
    #expect(appended.status == 0)
    #expect(try String(contentsOfFile: directory.path("o"), encoding: .utf8).hasPrefix("before\n"))
    // It has no extension that names a format.
    let timeline = "\(Toolchain.firstlight) timeline \(profile)"
    #expect(
      try Command.check(["bash", "-c", "\(timeline) -o \(stdout)"])
        == Command.check(["bash", "-c", timeline]))
    for words in ["\(merge) \(stdout)", "\(merge) -"] {
      let closed = try Command.run(["bash", "-c", "\(words) >&-"])
      #expect(closed.status == 73)
      #expect(
        closed.errors.hasSuffix(": cannot write: Bad file descriptor; choose another place\n"))
    }
    let listing = try Command.run(["bash", "-c", "\(Toolchain.firstlight) info \(profile) >&-"])
    #expect(listing.status == 74)
  }
}
