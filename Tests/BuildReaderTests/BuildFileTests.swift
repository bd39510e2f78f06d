import FirstlightModel
import Foundation
import Testing

@testable import BuildReader

/// What is opened of what others name.
@Suite struct BuildFileTests {
  @Test func aFileIsOpenedAndKnownByItsContents() throws {
    let folder = try Folder()
    let path = try folder.write("one", to: "file")
    let file = try BuildFile(path: path)
    #expect(file.size == 3)
    #expect(file.folder == folder.path)
    #expect(try BuildFile(path: path).identity == file.identity)
    try folder.write("more", to: "file")
    #expect(try BuildFile(path: path).identity != file.identity)
  }

  @Test func aFIFOIsNeitherOpenedNorWaitedFor() throws {
    let folder = try Folder()
    let path = folder.path + "/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    // Whoever opens it for writing learns at once that nobody reads.
    let failure = try #require(throws: Failure.self) { try BuildFile(path: path) }
    #expect(failure.kind == .data)
    #expect(open(path, O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO)
  }

  @Test(arguments: [
    "/dev/null", "/dev/tty", "/proc/kmsg", "/proc/self/maps", "/proc/self/exe", "/proc/self/fd/0",
    "/sys/kernel/notes", "/tmp", "/nowhere/at/all", "relative",
  ]) func onlyRegularFilesAreOpened(path: String) {
    #expect(throws: Failure.self) { try BuildFile(path: path) }
  }

  @Test func emptyFilesAreNotOpened() throws {
    let folder = try Folder()
    let path = try folder.write("", to: "file")
    #expect(throws: Failure.self) { try BuildFile(path: path) }
  }

  @Test func linksAreFollowedWithinTheirFolderOnly() throws {
    let folder = try Folder()
    let path = try folder.write("library", to: "libx.so.1.2")
    let versioned = try folder.link("libx.so.1", to: "libx.so.1.2")
    let unversioned = try folder.link("libx.so", to: "libx.so.1")
    #expect(try BuildFile(path: versioned).path == path)
    #expect(try BuildFile(path: unversioned).path == path)
    for (number, target) in [path, "../other", "/etc/passwd", "..", "round"].enumerated() {
      let link = try folder.link(target == "round" ? "round" : "link\(number)", to: target)
      #expect(throws: Failure.self, "\(target)") { try BuildFile(path: link) }
    }
    // Of our own configuration: what debug packages link to.
    let trusted = try BuildFile(path: folder.link("debug", to: path), trusted: true)
    #expect(trusted.size == 7)
    #expect(throws: Failure.self) { try BuildFile(path: "/proc/self/exe", trusted: true) }
  }

  @Test func aScratchFileHasNoNameAndIsReadBack() throws {
    let scratch = try ScratchFile(called: "upload")
    try scratch.append(Array("abc".utf8))
    try scratch.append(Array("def".utf8)[...])
    let file = try scratch.file()
    #expect(file.size == 6)
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(read(file.descriptor, &bytes, 10) == 6)
    #expect(bytes.prefix(6) == Array("abcdef".utf8)[...])
    // It is to be read only.
    #expect(write(file.descriptor, bytes, 1) == -1)
    let link = try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(file.descriptor)")
    #expect(link.hasSuffix("(deleted)"))
  }

  @Test func debugFilesAreLookedForWhereGdbDoes() {
    let search = DebugFilePlaces(directories: ["/usr/lib/debug"], folder: "/srv/app")
    let id = BuildID(bytes: [0xab, 0xcd, 0xef])
    #expect(
      search.places(for: .init(buildID: id, link: "app.debug")) == [
        .init(path: "/usr/lib/debug/.build-id/ab/cdef.debug", isTrusted: true),
        .init(path: "/srv/app/app.debug", isTrusted: false),
        .init(path: "/srv/app/.debug/app.debug", isTrusted: false),
        .init(path: "/usr/lib/debug/srv/app/app.debug", isTrusted: true),
      ])
    // Of a file that was sent, no name that it gives.
    let sent = DebugFilePlaces(directories: ["/usr/lib/debug"], folder: nil)
    #expect(sent.places(for: .init(buildID: nil, link: "app.debug")) == [])
  }

  @Test func limitsGrowWithTheFile() {
    let small = WorkerLimits(fileBytes: 300_000, memoryCap: 2 << 30)
    #expect(small.memory <= 256 << 20)
    #expect(small.seconds == 2)
    // firstlightd with its debug information.
    let large = WorkerLimits(fileBytes: 122 << 20, memoryCap: 2 << 30)
    #expect(large.seconds == 32)
    #expect(large.memory == (192 + 6 * 122) << 20)
    let huge = WorkerLimits(fileBytes: .max, memoryCap: 2 << 30)
    #expect(huge.memory == 2 << 30)
  }
}
