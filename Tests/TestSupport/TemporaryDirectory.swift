import Foundation
import Testing

/// A directory that goes when its owner goes.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "firstlight-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// A copy of another directory's files.
  package convenience init(copying other: URL) throws {
    try self.init()
    // Its programs may be started at once: see ProgramFile.
    try Command.check(["cp", "-R", "--", "\(other.path)/.", url.path])
  }

  /// Where the tools under test keep what they would keep at home; goes when the tests end.
  package static let state: String = {
    atexit { try? FileManager.default.removeItem(atPath: TemporaryDirectory.statePath) }
    return statePath
  }()

  /// An empty directory for something whose end nobody knows; goes when the tests end.
  package static func untilTheEnd() throws -> URL {
    let url = URL(filePath: state).appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  private static var statePath: String {
    FileManager.default.temporaryDirectory
      .appending(path: "firstlight-test-state-\(getpid())").path
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of an entry.
  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  package var entries: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }
}
