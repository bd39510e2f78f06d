import Foundation
import Pruning
import TestSupport
import Testing

/// A copy is what the original is, and the original stays what it was.
@Suite struct TreeCopyTests {
  private let directory: TemporaryDirectory
  private var project: String { directory.path("project") }

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("a\nb\n", to: "project/Sources/a.swift")
    try directory.write("#!/bin/sh\n", to: "project/run.sh")
    try directory.write("built", to: "project/.build/debug/a.o")
    try directory.write("fetched", to: "project/.build/checkouts/b/b.swift")
    try directory.write("built", to: "project/.build-other/a.o")
    let shell = """
      cd project && chmod 755 run.sh && ln -s run.sh link && mkfifo pipe && mkdir empty
      touch -d '2001-02-03 04:05:06.5' run.sh && git init -q . && git add -A
      """
    try Command.check(["sh", "-c", shell], in: directory.url)
  }

  private func copied() throws -> TreeCopy {
    try TreeCopy(of: project) { script, _ in
      try Command.check(["sh", "-c", script])
      return .passed
    }
  }

  /// Their files name the original's path, so a build there would be one of the original.
  @Test func buildsOfCMakeAreLeftOut() throws {
    for path in ["out/CMakeCache.txt", "out/Makefile", "out/a.o", "Makefile", "lib/Makefile"] {
      try directory.write("built", to: "project/\(path)")
    }
    for path in ["in/CMakeLists.txt", "in/CMakeCache.txt", "in/Makefile", "in/CMakeFiles/a.o"] {
      try directory.write("x", to: "project/\(path)")
    }
    let copy = try copied()
    func has(_ path: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(copy.root)/\(path)")
    }
    #expect(!has("out"))
    #expect(has("Makefile") && has("lib/Makefile") && has("in/CMakeLists.txt"))
    #expect(!has("in/CMakeCache.txt") && !has("in/Makefile") && !has("in/CMakeFiles"))
  }

  /// A build follows them, and would write into the original.
  @Test func linksIntoTheOriginalLeadIntoTheCopy() throws {
    try directory.write("mine", to: "project/real/log")
    try directory.write("else", to: "neighbour/log")
    let shell = """
      ln -s "$PWD/project/real" project/out && ln -s ../../project/real/log project/real/again
      ln -s "$PWD/neighbour" project/beside && ln -s "$PWD/project/made" project/later
      """
    try Command.check(["sh", "-c", shell], in: directory.url)
    let copy = try copied()
    for path in ["out/log", "real/again", "later"] {
      try Command.check(["sh", "-c", "echo copy >> '\(copy.root)/\(path)'"])
    }
    #expect(try String(contentsOfFile: project + "/real/log", encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: project + "/made"))
    #expect(try String(contentsOfFile: copy.root + "/beside/log", encoding: .utf8) == "else")
  }

  private func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: path)
  }

  @Test func filesLinksModesAndTimesAreCopied() throws {
    let copy = try copied()
    #expect(copy.root.hasSuffix("/project"))
    let difference = try Command.run(
      ["diff", "-r", "--no-dereference", "-x", ".build*", "-x", "pipe", project, copy.root])
    #expect(difference.status == 0, "\(difference.output)")
    let (old, new) = (try attributes(project + "/run.sh"), try attributes(copy.root + "/run.sh"))
    for key in [FileAttributeKey.modificationDate, .posixPermissions] {
      #expect(old[key] as? NSObject == new[key] as? NSObject)
    }
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: copy.root + "/link")
    #expect(link == "run.sh")
  }

  @Test func buildFoldersAreLeftOutButForWhatWasFetched() throws {
    let copy = try copied()
    #expect(FileManager.default.fileExists(atPath: copy.root + "/.build/checkouts/b/b.swift"))
    #expect(!FileManager.default.fileExists(atPath: copy.root + "/.build/debug"))
    #expect(!FileManager.default.fileExists(atPath: copy.root + "/.build-other"))
  }

  @Test func copyGoesWithItsOwner() throws {
    let root = try copied().root
    #expect(!FileManager.default.fileExists(atPath: root))
    #expect(!FileManager.default.fileExists(atPath: (root as NSString).deletingLastPathComponent))
  }

  @Test func copyThatFailsLeavesNothing() throws {
    struct Ended: Error {}
    // One of its own: other tests make copies in the usual one meanwhile.
    let temporary = directory.url.appendingPathComponent("temporary")
    #expect(throws: Ended.self) {
      _ = try TreeCopy(of: project, in: temporary) { _, _ in throw Ended() }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func patchesReplaceEachOther() throws {
    let copy = try copied()
    let file = copy.root + "/Sources/a.swift"
    func change(_ result: String?) -> FileChange {
      FileChange(
        path: "Sources/a.swift", source: Array("a\nb\n".utf8),
        result: result.map { Array($0.utf8) })
    }
    try copy.apply([change("b\n")])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "b\n")
    let time = try attributes(file)[.modificationDate] as? Date
    try copy.apply([change("b\n")])
    #expect(try attributes(file)[.modificationDate] as? Date == time)
    try copy.apply([change(nil)])
    #expect(!FileManager.default.fileExists(atPath: file))
    try copy.apply([])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a\nb\n")
    #expect(
      try String(contentsOfFile: project + "/Sources/a.swift", encoding: .utf8) == "a\nb\n")
  }
}
