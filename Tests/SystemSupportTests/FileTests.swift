import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct FileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func aPathIsResolvedAsRealpathDoes() throws {
    let file = try directory.write("x", to: "a/file")
    let link = directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    let expected = try Command.check(["realpath", link]).trimmingCharacters(in: .newlines)
    #expect(AbsolutePath.resolved(link) == expected)
    #expect(AbsolutePath.resolved(directory.path("nothing")) == nil)
    #expect(AbsolutePath.of("/a/b") == "/a/b")
  }

  @Test(arguments: ["a", "./a", ".//a", "../a", "../../a/../b", ".", "..", "../"])
  func anAbsolutePathLeadsToTheSamePlace(path: String) throws {
    let expected = try Command.check(["realpath", "--canonicalize-missing", "--no-symlinks", path])
      .trimmingCharacters(in: .newlines)
    let absolute = AbsolutePath.of(path)
    #expect(URL(fileURLWithPath: absolute).standardized.path == expected)
    #expect(!absolute.contains("/./"))
    // A folder that a link may lead away from stays in the path.
    #expect(absolute.contains("/../") == path.contains("a/.."))
  }

  @Test func aProgramIsFoundAsAShellFindsIt() throws {
    let expected = try Command.check(["sh", "-c", "command -v sort"])
      .trimmingCharacters(in: .newlines)
    #expect(try ProgramPath.find("sort") == expected)
    #expect(try ProgramPath.find("./sort") == "./sort")
    let failure = #expect(throws: Failure.self) { try ProgramPath.find("no-such-program") }
    #expect(failure?.kind == .noInput)
  }

  @Test func aTextThatCannotBeReadIsNamed() throws {
    let path = directory.path("absent")
    let failure = #expect(throws: Failure.self) { try TextFile.read(path) }
    #expect(failure?.kind == .noInput)
    #expect(failure?.problem.hasPrefix(path) == true)
    // A folder opens, and cannot be read.
    #expect(throws: Failure.self) { try TextFile.read(directory.url.path) }
  }

  @Test func filesOfProcAreReadWhole() throws {
    let own = try #require(ProcFile.text("/proc/self/status"))
    #expect(own.contains("\nPid:\t\(getpid())\n"))
    #expect(ProcFile.bytes("/proc/0/status") == nil)
  }

  @Test func aScriptIsNotAProgram() throws {
    let script = try directory.write("#!/usr/bin/env python3 -u\n", to: "script")
    let failure = #expect(throws: Failure.self) { try FileStart.refuseScript(script) }
    #expect(failure?.problem.contains("a script for /usr/bin/env python3 -u") == true)
    #expect(throws: Never.self) { try FileStart.refuseScript("/bin/sh") }
    #expect(FileStart.bytes(of: "/bin/sh").prefix(4) == [0x7f, 0x45, 0x4c, 0x46])
  }

  @Test func aFileThatIsReplacedIsAnother() throws {
    let path = try directory.write("a", to: "file")
    let before = FileIdentity(path)
    #expect(FileIdentity(path) == before)
    try FileManager.default.removeItem(atPath: path)
    try directory.write("ab", to: "file")
    #expect(FileIdentity(path) != before)
  }

  @Test func aSpoolGoesWithWhatIsInIt() throws {
    let spool = try SpoolDirectory()
    #expect(FileManager.default.createFile(atPath: spool.path + "/entry", contents: Data()))
    let mode = try FileManager.default.attributesOfItem(atPath: spool.path)[.posixPermissions]
    #expect(mode as? Int == 0o700)
    spool.remove()
    #expect(!FileManager.default.fileExists(atPath: spool.path))
  }
}
