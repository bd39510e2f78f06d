import Foundation
import TestSupport
import Testing

@testable import Collector

/// The token file while several commands change it.
@Suite struct TokenFileTests {
  private let directory: TemporaryDirectory
  private let file: TokenFile

  init() throws {
    directory = try TemporaryDirectory()
    file = TokenFile(path: directory.path("tokens"))
  }

  /// Runs closures on threads of their own at the same time.
  private func atOnce(_ bodies: [@Sendable () throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for body in bodies {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func tokensThatAreAddedAtOnceAreAllThere() async throws {
    try await atOnce(
      (0..<8).map { [file] thread in
        { for number in 0..<5 { _ = try file.add(role: .read, name: "\(thread)-\(number)") } }
      })
    let names = try file.entries().map(\.name).sorted()
    #expect(names == (0..<8).flatMap { thread in (0..<5).map { "\(thread)-\($0)" } })
    #expect(directory.entries == ["tokens"])
  }

  @Test func aRevokedTokenStaysOutWhileOthersAreAdded() async throws {
    let leaked = try (0..<20).map { try file.add(role: .admin, name: "leaked \($0)").1 }
    try await atOnce([
      { [file] in for entry in leaked { try file.revoke(id: entry.id) } },
      { [file] in for number in 0..<20 { _ = try file.add(role: .read, name: "new \(number)") } },
    ])
    #expect(try file.entries().map(\.name) == (0..<20).map { "new \($0)" })
  }

  /// A daemon of another user, or group, must still be able to read it.
  @Test func theFileKeepsItsOwnerAndItsPermissions() throws {
    _ = try file.add(role: .read, name: "first")
    #expect(permissions == [geteuid(), getegid(), 0o600])
    chmod(file.path, 0o640)
    let owner: (UInt32, UInt32) = geteuid() == 0 ? (65534, 65534) : (geteuid(), getegid())
    #expect(chown(file.path, owner.0, owner.1) == 0)
    let (_, second) = try file.add(role: .read, name: "second")
    #expect(permissions == [owner.0, owner.1, 0o640])
    try file.revoke(id: second.id)
    #expect(permissions == [owner.0, owner.1, 0o640])
  }

  private var permissions: [UInt32] {
    var status = stat()
    stat(file.path, &status)
    return [status.st_uid, status.st_gid, status.st_mode & 0o7777]
  }

  /// Secrets that Kubernetes mounts are links.
  @Test func aLinkToTheFileStaysALink() throws {
    _ = try file.add(role: .read, name: "first")
    let link = directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
    _ = try TokenFile(path: link).add(role: .read, name: "second")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file.path)
    #expect(try file.entries().map(\.name) == ["first", "second"])
  }

  @Test func aMistakeInTheFileIsNoReasonToLoseItsTokens() throws {
    _ = try file.add(role: .read, name: "first")
    let sound = try file.text()
    try directory.write(sound + "half a li", to: "tokens")
    #expect(throws: (any Error).self) { try file.add(role: .read, name: "second") }
    #expect(try file.text() == sound + "half a li")
    #expect(throws: (any Error).self) {
      try TokenFile(path: directory.path("none")).revoke(id: "1")
    }
    #expect(directory.entries == ["tokens"])
  }
}
