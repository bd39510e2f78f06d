import FirstlightModel
import Glibc

/// Where an image's debug information may be that is in files of its own.
///
/// What a file says of others' paths is a stranger's word: only paths in or below the image's folder and the
/// debug directories are opened.
struct DebugFileSearch: Sendable {
  /// Directories that hold debug files, such as `/usr/lib/debug`.
  let directories: [String]

  /// A candidate that can't be read, or isn't an ELF file, is as good as absent.
  static func open(_ path: String, isAlternate: Bool = false) -> ELFFile? {
    guard access(path, R_OK) == 0, let file = try? MappedFile(path: path) else { return nil }
    return try? ELFFile(file, isAlternate: isAlternate)
  }

  /// The folder the file is really in, without symbolic links.
  static func folder(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return "." }
    defer { free(resolved) }
    let text = String(cString: resolved)
    return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
  }

  /// Whether a path without `.` and `..` lies in a folder or deeper.
  static func isPath(_ path: String, below folder: String) -> Bool {
    path.utf8.starts(with: (folder.hasSuffix("/") ? folder : folder + "/").utf8)
  }

  /// Where the debug file of a build id is, in each directory.
  func paths(of buildID: BuildID?) -> [String] {
    guard let digits = buildID?.description.utf8, digits.count > 2 else { return [] }
    let folder = String(decoding: digits.prefix(2), as: UTF8.self)
    let rest = String(decoding: digits.dropFirst(2), as: UTF8.self)
    return directories.map { "\($0)/.build-id/\(folder)/\(rest).debug" }
  }
}
