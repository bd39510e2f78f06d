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

  @Test(arguments: [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian])
  func textsWithAByteOrderMarkAreDecoded(encoding: String.Encoding) throws {
    let text = "\u{feff}é\r\nx\n"
    let file = directory.url.appending(path: "text")
    try #require(text.data(using: encoding)).write(to: file)
    let read = try TextFile.read(file.path)
    #expect(read == (encoding == .utf8 ? text : String(text.dropFirst())))
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

  /// Whoever wrote the name of a file, into debug information or a repository, may have made anything of that name.
  @Test(.timeLimit(.minutes(1)), arguments: ["pipe", "folder", "link", "/dev/zero", "/dev/tty"])
  func onlyRegularFilesAreReadByForeignNames(name: String) throws {
    try #require(mkfifo(directory.path("pipe"), 0o600) == 0)
    try directory.write("", to: "folder/file")
    try #require(symlink("/dev/zero", directory.path("link")) == 0)
    let path = name.hasPrefix("/") ? name : directory.path(name)
    let failure = #expect(throws: Failure.self) { try TextFile.read(path) }
    #expect(failure?.problem == "\(path): not a regular file")
    #expect(throws: SystemError.self) { try FileContents.read(path) }
    #expect(throws: Failure.self) { _ = try RegularFile(path: path, followsLinks: true) }
    #expect(FileContents.digest(path) == nil && FileStart.bytes(of: path).isEmpty)
  }

  /// `/proc/kmsg` waits for messages, and others have no end.
  @Test func filesWithoutASizeAreEmptyByForeignNames() throws {
    #expect(try FileContents.read("/proc/self/pagemap").isEmpty)
  }

  @Test func aFileThatIsTooLargeIsRefusedBeforeItIsRead() throws {
    let path = try directory.write("12345", to: "file")
    #expect(try FileContents.read(path, limit: 5) == Array("12345".utf8))
    let error = #expect(throws: SystemError.self) { try FileContents.read(path, limit: 4) }
    #expect(error?.code == EFBIG)
    // Nothing but its size is large.
    try #require(truncate(path, 1 << 40) == 0)
    #expect(throws: SystemError.self) { try FileContents.read(path) }
  }

  @Test func aPipeOnTheCommandLineIsReadToItsEnd() throws {
    let pipe = directory.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let writer = try Command.start(["sh", "-c", "printf text > \"$0\"", pipe])
    #expect(try TextFile.argument(pipe) == "text")
    #expect(try writer.wait().status == 0)
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
