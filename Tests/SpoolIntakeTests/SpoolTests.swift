import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import SpoolIntake
@testable import TraceReader

@Suite struct SpoolTests {
  private let files: TemporaryDirectory
  private var path: String { files.url.path }

  init() throws { files = try TemporaryDirectory() }

  private func failure(_ path: String? = nil) -> Failure? {
    #expect(throws: Failure.self) { try Spool(path: path ?? self.path) }
  }

  @Test func itsOwnFolderIsForItsUserAlone() throws {
    let spool = try Spool(path: path)
    for name in [".firstlightd", ".firstlightd/quarantine"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: files.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o700, "\(name)")
    }
    #expect(try spool.directory.entries().isEmpty)
  }

  @Test func aPathThatIsNoSpoolIsRefused() {
    #expect(failure("spool")?.kind == .usage)
    #expect(failure(path + "/nowhere")?.kind == .noInput)
  }

  @Test func oneDaemonHasTheSpool() throws {
    let spool = try Spool(path: path)
    #expect(failure()?.kind == .unavailable)
    withExtendedLifetime(spool) {}
  }

  @Test func theNextDaemonGetsIt() throws {
    for _ in 0..<2 { withExtendedLifetime(try Spool(path: path)) {} }
  }

  @Test func aSpoolForAllNeedsTheStickyBit() throws {
    chmod(path, 0o777)
    let failure = failure()
    #expect(failure?.kind == .cannotCreate && failure?.advice == "run chmod 1733 \(path)")
    chmod(path, 0o1733)
    #expect(throws: Never.self) { try Spool(path: path) }
  }

  @Test func aFolderThatOthersMadeOrCanWriteIsRefused() throws {
    let own = files.path(".firstlightd")
    try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: "/tmp")
    #expect(failure()?.problem == "\(own): not a directory")
    unlink(own)
    mkdir(own, 0o700)
    chmod(own, 0o770)
    #expect(failure()?.advice == "run chmod 700 \(own)")
  }

  @Test func aProcessIsSetAsideOrRemovedWithAllItsFiles() throws {
    let spool = try Spool(path: path)
    let one = ProcessID(pid: 1, namespace: 0, start: 5, key: 10)
    let names = [".ready", ".marks", "-0.segment", "-3.segment", ".process"].map { "\(one)\($0)" }
    for name in names { try files.write("x", to: name) }
    try files.write("x", to: "2-5-0000000000000001.process")
    let entry = try #require(try spool.directory.entries().first { $0.process == one })
    #expect(Set(entry.files) == Set(names))
    spool.quarantine(entry, reason: "why")
    #expect(
      try DirectoryListing.names(in: spool.quarantinePath).sorted()
        == (names + ["\(one).reason"]).sorted())
    #expect(
      try String(contentsOfFile: "\(spool.quarantinePath)/\(one).reason", encoding: .utf8)
        == "why\n")
    // What is gone already is no failure.
    #expect(spool.remove(entry))
    let left = try #require(try spool.directory.entries().first)
    #expect(spool.remove(left))
    #expect(files.entries == [".firstlightd"])
  }

  @Test func whatCannotBeRemovedIsReported() throws {
    let spool = try Spool(path: path)
    let process = ProcessID(pid: 1, namespace: 0, start: 5, key: 10)
    mkdir(files.path("\(process).process"), 0o700)
    #expect(!spool.remove(TraceEntry(process: process, segments: [])))
  }

  @Test func aQuarantineThatWasRemovedIsMadeAgain() throws {
    let spool = try Spool(path: path)
    try FileManager.default.removeItem(atPath: spool.quarantinePath)
    let process = RecordedFiles.process(1)
    try RecordedFiles(directory: files).leave(process)
    let entry = try #require(try spool.directory.entries().first)
    spool.quarantine(entry, reason: "unreadable")
    #expect(try spool.directory.entries().isEmpty)
    let kept = try FileManager.default.contentsOfDirectory(atPath: spool.quarantinePath)
    #expect(kept.count == 3 && kept.contains("\(entry.stem).reason"))
  }

  /// Who connects as fast as others are answered does not keep the spool from its turn.
  @Test func aTurnAnswersABoundedNumberOfConnections() throws {
    let scans = try ScanSocket(path: files.path("socket"))
    // The kernel lets one more wait than a backlog says (listen(2)).
    let peers = (0..<65).map { _ in peer(files.path("socket")) }
    defer { for peer in peers { close(peer) } }
    for (turn, expected) in [64, 65].enumerated() {
      #expect(scans.answer(now: turn))
      let answered = peers.count { peer in
        var byte: UInt8 = 0
        return recv(peer, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 1
      }
      #expect(answered == expected)
    }
    #expect(!scans.answer(now: 2))
  }

  private func peer(_ path: String) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let peer = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(peer, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(connected == 0)
    return peer
  }
}
