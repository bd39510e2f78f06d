import FirstlightModel
import Foundation
import Glibc
import Synchronization
import SystemSupport

/// The files that a project's own build has made, kept while other builds replace them, and put back.
///
/// Only those that a compiler, a linker or make writes: files edited meanwhile stay as they are.
final class BuiltFiles: Sendable {
  private struct File {
    var copy: String
    var size: off_t
    var changed: timespec
  }

  private struct Kept {
    /// Of the copies.
    var folder = ""
    /// By path.
    var files: [String: File] = [:]
  }

  private let folder: String
  private let kept = Mutex(Kept())

  /// - Parameter folder: where the copies lie.
  init(in folder: String) { self.folder = folder }

  /// Keeps the built files below `directory`, but for those below `excluded`, and `program`, wherever it
  /// lies. Replaces those that were kept before.
  ///
  /// - Throws: `Failure` of kind `cannotCreate` if one cannot be copied.
  func keep(below directory: String, except excluded: String, program: String) throws(Failure) {
    try keep(Self.find(below: directory, except: excluded) + [AbsolutePath.of(program)])
  }

  /// Keeps the program alone.
  func keep(program: String) throws(Failure) { try keep([AbsolutePath.of(program)]) }

  private func keep(_ found: [String]) throws(Failure) {
    // Copies of another name: a signal may have the last ones put back meanwhile.
    let copies = "\(folder)/\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotCreate, "\(copies): cannot create this directory")
    }
    var new = Kept(folder: copies)
    for path in Set(found) {
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

  /// Puts back those that were changed or removed since.
  func putBack() {
    kept.withLock { kept in
      for (path, file) in kept.files {
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

  /// Of a regular file; nil: there is none.
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
    // make goes by it.
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
    if endings.contains(where: path.hasSuffix) { return true }
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let start = (try? file.read(upToCount: 8)).map { [UInt8]($0) } ?? []
    return starts.contains { start.starts(with: $0) }
  }
}
