import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct ResultFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func aFileIsReplacedAndKeepsItsPermissions() throws {
    let path = try directory.write("before", to: "result")
    try #require(chmod(path, 0o640) == 0)
    let reader = try #require(FileHandle(forReadingAtPath: path))
    try ResultFile.write("after", to: path)
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

  @Test func linksAreFollowed() throws {
    let target = try directory.write("before", to: "folder/target")
    for (link, place) in [("link", "folder/target"), ("second", "link"), ("new", "folder/new")] {
      try FileManager.default.createSymbolicLink(
        atPath: directory.path(link), withDestinationPath: place)
    }
    try ResultFile.write("after", to: directory.path("second"))
    try ResultFile.write("first", to: directory.path("new"))
    #expect(try TextFile.read(target) == "after")
    #expect(try TextFile.read(directory.path("folder/new")) == "first")
    for link in ["link", "second", "new"] {
      #expect(try Command.run(["test", "-L", directory.path(link)]).status == 0)
    }
    #expect(directory.entries == ["folder", "link", "new", "second"])
    #expect(try Command.check(["ls", "-A", directory.path("folder")]) == "new\ntarget\n")
  }

  @Test(.enabled(if: geteuid() == 0, "making devices takes root"))
  func aDeviceIsWrittenTo() throws {
    let device = directory.path("null")
    try Command.check(["mknod", device, "c", "1", "3"])
    try ResultFile.write("text", to: device)
    #expect(
      try Command.check(["stat", "-c", "%F %t:%T", device]) == "character special file 1:3\n")
    let full = directory.path("full")
    try Command.check(["mknod", full, "c", "1", "7"])
    let failure = #expect(throws: Failure.self) { try ResultFile.write("text", to: full) }
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

  @Test func aPipeIsWrittenTo() throws {
    let pipe = directory.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    // Waits for nobody who reads.
    try ResultFile.checkWritable(pipe)
    let reader = try Command.start(["cat", pipe])
    try ResultFile.write("text", to: pipe)
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

  /// The folder's owner puts a link in the place of the unfinished result: its target belongs to who writes the result.
  @Test func aLinkInThePlaceOfTheUnfinishedResultLeadsNowhere() throws {
    let folder = directory.url.appending(path: "folder").path
    let secret = try directory.write("secret", to: "secret")
    try directory.write("before", to: "folder/result")
    try #require(chmod(secret, 0o600) == 0 && chmod(folder + "/result", 0o644) == 0)
    try #require(symlink(secret, "\(folder)/link") == 0)
    let watch = try DirectoryWatch(folder)
    let swapper = Thread {
      var event = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        _ = poll(&event, 1, -1)
        var found: String?
        watch.take { name in
          let text = String(decoding: name, as: UTF8.self)
          if text.hasPrefix(".firstlight-") { found = text }
          return found != nil
        }
        guard let found else { continue }
        // In one step, which waits for a write: two would leave no file between them.
        rename("\(folder)/link", "\(folder)/\(found)")
        return
      }
    }
    swapper.start()
    // Long enough for the other thread.
    let text = String(repeating: "x", count: 1 << 27)
    let failure = #expect(throws: Failure.self) {
      try ResultFile.write(text, to: folder + "/result")
    }
    #expect(failure?.problem == "\(folder)/result: was replaced meanwhile")
    #expect(try TextFile.read(secret) == "secret")
    #expect(try Command.check(["stat", "-c", "%a", secret]) == "600\n")
  }

  @Test(.enabled(if: geteuid() == 0, "giving files away takes root"))
  func anotherUsersLinkLeadsOnlyToThatUsersFiles() throws {
    let (own, theirs) = (
      try directory.write("own", to: "own"), try directory.write("", to: "theirs")
    )
    try #require(chown(theirs, 65534, 65534) == 0)
    for (link, target) in [("bad", own), ("good", theirs), ("dangling", directory.path("new"))] {
      try #require(symlink(target, directory.path(link)) == 0)
      try #require(lchown(directory.path(link), 65534, 65534) == 0)
    }
    try ResultFile.write("text", to: directory.path("good"))
    #expect(try TextFile.read(theirs) == "text")
    #expect(try Command.check(["stat", "-c", "%u", theirs]) == "65534\n")
    for link in ["bad", "dangling"] {
      let path = directory.path(link)
      for write in [{ try ResultFile.checkWritable($0) }, { try ResultFile.write("", to: $0) }] {
        let failure = #expect(throws: Failure.self) { try write(path) }
        #expect(
          failure?.problem == "\(path): is another user's link to a file that is not theirs")
      }
    }
    #expect(try TextFile.read(own) == "own")
    #expect(!FileManager.default.fileExists(atPath: directory.path("new")))
  }

  /// The list gives one user, not the group, the right to read. Oracle: the list and the mode that the kernel shows.
  @Test func anAccessControlListStays() throws {
    let path = directory.path("result")
    try directory.write("old", to: "result")
    // Version 2, then tag, permissions and id of each entry (linux/posix_acl_xattr.h).
    let set = """
      entries = [(1, 6, -1), (2, 4, 12345), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
      bytes = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
      os.setxattr(path, name, bytes)
      """
    try change(path, set)
    let show = "print(os.getxattr(path, name).hex(), oct(os.stat(path).st_mode))"
    let before = try change(path, show)
    try ResultFile.write("new", to: path)
    #expect(try change(path, show) == before)
    #expect(try TextFile.read(path) == "new")
    // The folder gives new files a list, which a file without one does not get.
    try change(path, "os.removexattr(path, name); os.chmod(path, 0o640)")
    try change(
      path,
      set.replacingOccurrences(
        of: "setxattr(path, name",
        with: "setxattr(os.path.dirname(path), name.replace('access', 'default')"))
    try ResultFile.write("newest", to: path)
    #expect(
      try change(path, "print(os.listxattr(path), oct(os.stat(path).st_mode))") == "[] 0o100640\n")
  }

  @discardableResult
  private func change(_ path: String, _ script: String) throws -> String {
    try Command.check([
      "python3", "-c",
      "import os, struct, sys\npath, name = sys.argv[1], 'system.posix_acl_access'\n\(script)",
      path,
    ])
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
