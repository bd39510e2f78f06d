import FirstlightModel
import Foundation
import Glibc
import SystemSupport
import TextFormatting

/// A temporary copy of a project's folder for testing a patch. It is removed with this object.
///
/// Excludes SwiftPM's build folders, whose files name their build path, but keeps its fetched packages.
/// Everything else is copied with its modification times, so that make continues from there.
package final class TreeCopy {
  /// Root of the copy: absolute, without links.
  package let root: String
  private let folder: String
  /// Path for a command's output, beside the copy.
  package var log: String { "\(folder)/log" }
  /// Current contents of the files that patches have changed; nil if deleted.
  private var current: [String: [UInt8]?] = [:]
  private var sources: [String: [UInt8]] = [:]

  /// Contents of SwiftPM's build folder.
  private static let fetched: Set<String> = ["checkouts", "repositories", "workspace-state.json"]

  /// - Parameters:
  ///   - original: the project's absolute path.
  ///   - temporary: the folder for the copy.
  ///   - check: called for each file; an error that it throws stops and removes the copy.
  /// - Throws: `Failure` of kind `cannotCreate` or `inputOutput`, naming the file.
  package init(
    of original: String, in temporary: URL = FileManager.default.temporaryDirectory,
    check: () throws -> Void = {}
  ) throws {
    let temporary = temporary.resolvingSymlinksInPath().path
    folder = "\(temporary)/firstlight-prune-\(UUID().uuidString)"
    // Named like the original, since SwiftPM names packages after folders.
    root = "\(folder)/tree/\(BaseName.of(original))"
    do {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    } catch {
      throw Failure(
        .cannotCreate, "\(folder): cannot create this folder", advice: "set TMPDIR to another one")
    }
    do { try copy(original, to: root, check) } catch {
      Self.remove(folder)
      throw error
    }
    linkNeighbours(of: original)
  }

  deinit { Self.remove(folder) }

  private static func remove(_ folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Patches

  /// Applies these changes, and restores all other files. Unchanged files keep their modification
  /// times.
  package func apply(_ changes: [FileChange]) throws(Failure) {
    var wanted: [String: [UInt8]?] = sources.mapValues { $0 }
    for change in changes {
      sources[change.path] = change.source
      wanted[change.path] = .some(change.isDeleted ? nil : change.result)
    }
    for (path, bytes) in wanted {
      guard (current[path] ?? sources[path]) != bytes else { continue }
      let file = "\(root)/\(path)"
      if let bytes {
        try ResultFile.write(bytes, to: file)
      } else {
        unlink(file)
      }
      current[path] = .some(bytes)
    }
  }

  // MARK: Copying

  private func copy(_ from: String, to: String, _ check: () throws -> Void) throws {
    let isBuildFolder = BaseName.of(from) == ".build"
    let names: [String]
    do { names = try DirectoryListing.names(in: from) } catch {
      throw Failure(.inputOutput, "\(from): cannot read this folder")
    }
    // Git's objects never change, since they are named by hashes of their contents.
    let isGitFolder = names.contains("objects") && names.contains("refs") && names.contains("HEAD")
    for name in names {
      try check()
      if isBuildFolder ? !Self.fetched.contains(name) : name.hasPrefix(".build-") { continue }
      let (old, new) = ("\(from)/\(name)", "\(to)/\(name)")
      try copyEntry(old, to: new, isShared: isGitFolder && name == "objects", check)
    }
  }

  private func copyEntry(
    _ old: String, to new: String, isShared: Bool, _ check: () throws -> Void
  ) throws {
    var status = stat()
    guard lstat(old, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      guard mkdir(new, 0o700) == 0 else { throw Self.failure(old) }
      if isShared { try share(old, to: new, check) } else { try copy(old, to: new, check) }
      chmod(new, status.st_mode & 0o7777)
    case S_IFLNK: try copyLink(old, to: new)
    case S_IFREG: try FileCopy.copy(old, to: new, status)
    default: break
    }
  }

  /// Links files instead of copying them, if the file system allows it.
  private func share(_ from: String, to: String, _ check: () throws -> Void) throws {
    for name in (try? DirectoryListing.names(in: from)) ?? [] {
      try check()
      let (old, new) = ("\(from)/\(name)", "\(to)/\(name)")
      if link(old, new) != 0 { try copyEntry(old, to: new, isShared: true, check) }
    }
  }

  private func copyLink(_ old: String, to new: String) throws {
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: old)
    guard let target, symlink(target, new) == 0 else { throw Self.failure(old) }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.inputOutput, "\(path): cannot be copied: \(ErrorText.of(errno))")
  }

  /// Links neighbouring packages that the manifest names by `../`.
  private func linkNeighbours(of original: String) {
    guard let manifest = try? TextFile.read("\(original)/Package.swift"),
      let end = original.lastIndex(of: "/")
    else { return }
    for match in manifest.matches(of: /"\.\.\/([^"\/]+)/) {
      symlink("\(original[..<end])/\(match.1)", "\(folder)/tree/\(match.1)")
    }
  }
}

/// Copies a file with its mode and times.
enum FileCopy {
  static func copy(_ old: String, to new: String, _ status: stat) throws(Failure) {
    let source = open(old, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(old) }
    defer { close(source) }
    let target = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw failure(new) }
    defer { close(target) }
    guard copyBytes(source, target) else { throw failure(old) }
    fchmod(target, status.st_mode & 0o7777)
    let times = [status.st_atim, status.st_mtim]
    futimens(target, times)
  }

  private static func copyBytes(_ source: Int32, _ target: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
      while true {
        let count = read(source, room.baseAddress, room.count)
        if count == 0 { return true }
        if count < 0 {
          if errno == EINTR { continue }
          return false
        }
        let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
        guard (try? FileContents.write(bytes, to: target)) != nil else { return false }
      }
    }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.inputOutput, "\(path): cannot be copied: \(ErrorText.of(errno))")
  }
}
