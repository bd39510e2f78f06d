import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct ResultFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Both ways to write: the bytes, or a file that somebody else fills.
  typealias Way = @Sendable (_ text: String, _ path: String) throws -> Void

  private static let ways: [Way] = [
    { try ResultFile.write($0, to: $1) },
    { text, path in
      try ResultFile.write(to: path) { try Data(text.utf8).write(to: URL(filePath: $0)) }
    },
  ]

  @Test(arguments: ways)
  func aFileIsReplacedAndKeepsItsPermissions(write: Way) throws {
    let path = try directory.write("before", to: "result")
    try #require(chmod(path, 0o640) == 0)
    let reader = try #require(FileHandle(forReadingAtPath: path))
    try write("after", path)
    #expect(try TextFile.read(path) == "after")
    #expect(try Command.check(["stat", "-c", "%a", path]) == "640\n")
    #expect(directory.entries == ["result"])
    // A reader keeps the whole old file.
    #expect(try reader.readToEnd() == Data("before".utf8))
  }

  @Test func aNewFileHasThePermissionsThatTheUserWants() throws {
    try ResultFile.write("text", to: directory.path("result"))
    try directory.write("", to: "other")
    try Command.check(["touch", directory.path("touched")])
    #expect(
      try Command.check(["stat", "-c", "%a", directory.path("result")])
        == Command.check(["stat", "-c", "%a", directory.path("touched")]))
  }

  @Test(arguments: ways)
  func linksAreFollowed(write: Way) throws {
    let target = try directory.write("before", to: "folder/target")
    for (link, place) in [("link", "folder/target"), ("second", "link"), ("new", "folder/new")] {
      try FileManager.default.createSymbolicLink(
        atPath: directory.path(link), withDestinationPath: place)
    }
    try write("after", directory.path("second"))
    try write("first", directory.path("new"))
    #expect(try TextFile.read(target) == "after")
    #expect(try TextFile.read(directory.path("folder/new")) == "first")
    for link in ["link", "second", "new"] {
      #expect(try Command.run(["test", "-L", directory.path(link)]).status == 0)
    }
    #expect(directory.entries == ["folder", "link", "new", "second"])
    #expect(try Command.check(["ls", "-A", directory.path("folder")]) == "new\ntarget\n")
  }

  @Test(.enabled(if: geteuid() == 0, "making devices takes root"), arguments: ways)
  func aDeviceIsWrittenTo(write: Way) throws {
    let device = directory.path("null")
    try Command.check(["mknod", device, "c", "1", "3"])
    try write("text", device)
    #expect(
      try Command.check(["stat", "-c", "%F %t:%T", device]) == "character special file 1:3\n")
    let full = directory.path("full")
    try Command.check(["mknod", full, "c", "1", "7"])
    let failure = #expect(throws: Failure.self) { try write("text", full) }
    #expect(failure?.problem == "\(full): cannot write: No space left on device")
    #expect(failure?.kind == .cannotCreate)
    #expect(directory.entries == ["full", "null"])
  }

  @Test(.enabled(if: geteuid() == 0, "making devices takes root"))
  func aDiskIsRefused() throws {
    let disk = directory.path("disk")
    // No driver has this number.
    try Command.check(["mknod", disk, "b", "240", "99"])
    let failure = #expect(throws: Failure.self) { try ResultFile.write("text", to: disk) }
    #expect(failure?.problem == "\(disk): is a block device")
  }

  @Test(arguments: ways)
  func aPipeIsWrittenTo(write: Way) throws {
    let pipe = directory.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    // Waits for nobody who reads.
    try ResultFile.checkWritable(pipe)
    let reader = try Command.start(["cat", pipe])
    try write("text", pipe)
    #expect(try reader.wait().output == "text")
    #expect(directory.entries == ["pipe"])
  }

  @Test func aPipeWhoseReaderIsGoneIsAFailure() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let path = "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)"
    let failure = #expect(throws: Failure.self) { try ResultFile.write("text", to: path) }
    #expect(failure?.problem == "\(path): cannot write: Broken pipe")
  }

  /// Opened by its path, the file would start over.
  @Test func aDescriptorIsWrittenToWhereItStands() throws {
    let path = try directory.write("", to: "log")
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data("one ".utf8))
    for name in ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", "/proc/\(getpid())/fd"] {
      try ResultFile.write("\(name) ", to: "\(name)/\(file.fileDescriptor)")
    }
    try file.write(contentsOf: Data("end".utf8))
    let expected = "one /dev/fd /proc/self/fd /proc/thread-self/fd /proc/\(getpid())/fd end"
    #expect(try TextFile.read(path) == expected)
    #expect(directory.entries == ["log"])
  }

  @Test func aDescriptorThatCannotBeWrittenToIsRefused() throws {
    let path = try directory.write("text", to: "file")
    let file = try #require(FileHandle(forReadingAtPath: path))
    let names = ["/dev/fd/\(file.fileDescriptor)", "/dev/fd/999999"]
    for name in names {
      for write in [{ try ResultFile.checkWritable($0) }, { try ResultFile.write("", to: $0) }] {
        let failure = #expect(throws: Failure.self) { try write(name) }
        #expect(failure?.problem == "\(name): cannot write: Bad file descriptor")
      }
    }
    #expect(try TextFile.read(path) == "text")
  }

  @Test(arguments: [
    ("no/such/folder", "no/such/: cannot write here: No such file or directory"),
    ("folder", "folder: is a directory"), ("new/", "new/: is no file's name"),
    ("file/", "file/: cannot write: Not a directory"),
    ("loop", "loop: cannot write: Too many levels of symbolic links"),
    ("nowhere", "no/: cannot write here: No such file or directory"),
  ])
  func aPlaceWhereNothingCanBeWrittenIsNamed(name: String, problem: String) throws {
    try directory.write("kept", to: "file")
    try directory.write("kept", to: "folder/file")
    for (link, place) in [("loop", "loop"), ("nowhere", directory.path("no/file"))] {
      try FileManager.default.createSymbolicLink(
        atPath: directory.path(link), withDestinationPath: place)
    }
    let path = "\(directory.url.path)/\(name)"
    for write in [{ try ResultFile.checkWritable($0) }, { try ResultFile.write("", to: $0) }] {
      let failure = #expect(throws: Failure.self) { try write(path) }
      #expect(failure?.kind == .cannotCreate)
      #expect(failure?.problem == "\(directory.url.path)/\(problem)")
    }
    #expect(directory.entries == ["file", "folder", "loop", "nowhere"])
    #expect(try TextFile.read(directory.path("file")) == "kept")
  }

  @Test func aMakerThatFailsLeavesTheOldFile() throws {
    let path = try directory.write("before", to: "result")
    #expect(throws: CancellationError.self) {
      try ResultFile.write(to: path) {
        try Data("half".utf8).write(to: URL(filePath: $0))
        throw CancellationError()
      }
    }
    #expect(try TextFile.read(path) == "before")
    #expect(directory.entries == ["result"])
  }

  @Test func aNameMayBeAsLongAsNamesCanBe() throws {
    let name = String(repeating: "n", count: 255)
    try ResultFile.write("text", to: directory.path(name))
    #expect(directory.entries == [name])
    #expect(throws: Failure.self) { try ResultFile.checkWritable(directory.path(name + "n")) }
    #expect(throws: Failure.self) { try ResultFile.checkWritable("") }
  }

  @Test func onlyFilesHaveNeighbours() throws {
    try #require(mkfifo(directory.path("pipe"), 0o600) == 0)
    try directory.write("", to: "file")
    #expect(ResultFile.isFile(directory.path("file")) && ResultFile.isFile(directory.path("new")))
    #expect(!["-", "/dev/fd/1", directory.path("pipe")].contains(where: ResultFile.isFile))
    #expect(ResultFile.neighbour(of: "a", ".b") == "a.b")
    #expect(ResultFile.neighbour(of: "-", ".b") == nil)
  }
}
