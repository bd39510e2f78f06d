import FirstlightModel
import Foundation
import Glibc
import Synchronization
import SystemSupport

/// Saves the files that a project's own build has made while other builds replace them, and restores them.
///
/// Only covers files that a compiler, a linker or make writes: files edited meanwhile stay as they are.
final class BuiltFiles: Sendable {
  private struct File {
    var copy: String
    var size: off_t
    var changed: timespec
  }

  private struct Kept {
    /// The directory of the copies.
    var folder = ""
    /// The saved files by path.
    var files: [TextBytes: File] = [:]
  }

  private let folder: String
  private let kept = Mutex(Kept())

  /// - Parameter folder: the directory for the copies.
  init(in folder: String) { self.folder = folder }

  /// Saves the built files below `directory`, except those below `excluded`, and `program`, wherever it is.
  /// Replaces all earlier copies.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` if a file cannot be copied.
  func keep(below directory: String, except excluded: String, program: String) throws(Failure) {
    try keep(Self.find(below: directory, except: excluded) + [AbsolutePath.of(program)])
  }

  /// Saves the program alone.
  func keep(program: String) throws(Failure) { try keep([AbsolutePath.of(program)]) }

  private func keep(_ found: [String]) throws(Failure) {
    // Uses a new directory: a signal may restore the earlier copies meanwhile.
    let copies = "\(folder)/\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotCreate, "\(copies): cannot create this directory")
    }
    var new = Kept(folder: copies)
    for path in Set(texts: found).map(\.text) {
      guard let status = Self.status(path) else { continue }
      let copy = "\(copies)/\(new.files.count)"
      try Self.copy(path, to: copy, changed: status.st_mtim)
      new.files[path] = File(copy: copy, size: status.st_size, changed: status.st_mtim)
    }
    let old = kept.withLock { kept in
      defer { kept = new }
      return kept.folder
    }
    if !old.isEmpty { try? FileManager.default.removeItem(atPath: old) }
  }

  /// Restores files that were changed or removed since.
  func putBack() {
    kept.withLock { kept in
      for (path, file) in kept.files.map({ ($0.text, $1) }) {
        let now = Self.status(path)
        guard
          now?.st_size != file.size || now?.st_mtim.tv_sec != file.changed.tv_sec
            || now?.st_mtim.tv_nsec != file.changed.tv_nsec
        else { continue }
        let temporary = "\(path).\(getpid()).partial"
        try? FileManager.default.createDirectory(
          atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        if (try? Self.copy(file.copy, to: temporary, changed: file.changed)) != nil {
          rename(temporary, path)
        }
      }
    }
  }

  /// The status of a regular file; nil if there is none.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status : nil
  }

  private static func copy(_ path: String, to target: String, changed: timespec) throws(Failure) {
    do {
      try FileManager.default.copyItem(atPath: path, toPath: target)
    } catch {
      throw Failure(.cannotCreate, "\(path): cannot be copied to \(target)")
    }
    // make compares modification times.
    let times = [changed, changed]
    utimensat(AT_FDCWD, target, times, 0)
  }

  private static func find(below directory: String, except excluded: String) -> [String] {
    guard let tree = FileManager.default.enumerator(atPath: directory) else { return [] }
    var found: [String] = []
    while let name = tree.nextObject() as? String {
      let path = "\(directory)/\(name)"
      if path == excluded || BaseName.of(name) == ".git" {
        tree.skipDescendants()
      } else if isBuilt(path) {
        found.append(path)
      }
    }
    return found
  }

  private static let endings = [".d", ".lo", ".la", ".gch", ".pch"]
  /// ELF, archives, LLVM's bitcode.
  private static let starts: [[UInt8]] = [
    [0x7f, 0x45, 0x4c, 0x46], Array("!<arch>\n".utf8), Array("!<thin>\n".utf8),
    [0x42, 0x43, 0xc0, 0xde],
  ]

  private static func isBuilt(_ path: String) -> Bool {
    guard status(path) != nil else { return false }
    if endings.contains(where: { path.ends(with: $0) }) { return true }
    let start = FileStart.bytes(of: path)
    return starts.contains { start.starts(with: $0) }
  }
}
