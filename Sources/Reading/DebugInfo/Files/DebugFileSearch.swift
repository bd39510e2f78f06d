import FirstlightModel
import Glibc
import SystemSupport

/// Where a file lies for a process that may have another root directory.
package struct ForeignPlace: Sendable {
  /// Leads to the root: `/proc/PID/root`.
  let root: String
  /// The file's path there.
  let path: String

  package init(root: String, path: String) { (self.root, self.path) = (root, path) }
}

/// Possible places of an image's separate debug information.
struct DebugFileSearch: Sendable {
  /// Directories that hold debug files, such as `/usr/lib/debug`.
  let directories: [String]
  /// The folder of debuginfod's clients; nil if it is not searched.
  var debuginfodCache: String?
  /// Where the program's process finds the program; nil for processes with our root.
  var place: ForeignPlace?

  /// Opens a candidate; nil if it cannot be read or is not an ELF file.
  static func open(_ path: String, isPart: Bool = false) -> ELFFile? {
    guard access(path, R_OK) == 0, let file = try? MappedFile(path: path) else { return nil }
    return try? ELFFile(file, isPart: isPart)
  }

  /// The file's real folder, after resolving symbolic links.
  static func folder(of path: String) -> String {
    guard let text = real(path) else { return "." }
    // A path through another process's root resolves to a path within that root.
    return parent(isSameFile(text, path) ? text : path)
  }

  static func parent(_ path: String) -> String {
    String(path[..<(path.lastIndex(ofUTF8: "/") ?? path.startIndex)])
  }

  static func isSameFile(_ a: String, _ b: String) -> Bool {
    FilePlace(a).map { $0 == FilePlace(b) } ?? false
  }

  /// The path without symbolic links; nil if the file does not exist.
  private static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Paths of the debug file with a build id, in each directory and in the cache.
  func paths(of buildID: BuildID?) -> [String] {
    guard let digits = buildID?.description.utf8, digits.count > 2 else { return [] }
    let folder = String(decoding: digits.prefix(2), as: UTF8.self)
    let rest = String(decoding: digits.dropFirst(2), as: UTF8.self)
    var paths = directories.map { "\($0)/.build-id/\(folder)/\(rest).debug" }
    if let debuginfodCache { paths.append("\(debuginfodCache)/\(folder)\(rest)/debuginfo") }
    return paths
  }
}
