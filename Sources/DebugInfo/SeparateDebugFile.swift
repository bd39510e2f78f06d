import FirstlightModel
import Glibc

/// Finds the file that holds the debug information split off an image, where gdb looks for it
/// (gdb manual, "Debugging Information in Separate Files").
enum SeparateDebugFile {
  /// The first candidate that belongs to `elf`: by build id if it has one, then by debug link.
  static func find(for elf: ELFFile, buildID: BuildID?, directories: [String]) -> ELFFile? {
    if let digits = buildID?.description.utf8, digits.count > 2 {
      let folder = String(decoding: digits.prefix(2), as: UTF8.self)
      let rest = String(decoding: digits.dropFirst(2), as: UTF8.self)
      for directory in directories {
        if let found = open("\(directory)/.build-id/\(folder)/\(rest).debug"),
          Notes.buildID(found) == buildID, found.machine == elf.machine
        {
          return found
        }
      }
    }
    guard let link = Notes.debugLink(elf), !link.name.contains("/") else { return nil }
    let folder = folder(of: elf.path)
    var candidates = ["\(folder)/\(link.name)", "\(folder)/.debug/\(link.name)"]
    candidates += directories.map { "\($0)\(folder)/\(link.name)" }
    for path in candidates where !isSameFile(path, elf.path) {
      if let found = open(path), found.machine == elf.machine,
        CRC32.checksum(found.file.bytes) == link.checksum
      {
        return found
      }
    }
    return nil
  }

  /// `file` as the debug file of `elf`; nil if it isn't that, by build id nor by debug link.
  static func fitting(_ file: MappedFile, for elf: ELFFile) -> ELFFile? {
    guard let found = try? ELFFile(file), found.machine == elf.machine else { return nil }
    if let buildID = Notes.buildID(elf), Notes.buildID(found) == buildID { return found }
    guard let link = Notes.debugLink(elf), CRC32.checksum(file.bytes) == link.checksum else {
      return nil
    }
    return found
  }

  /// A candidate that can't be read, or isn't one, is as good as absent.
  private static func open(_ path: String) -> ELFFile? {
    guard access(path, R_OK) == 0, let file = try? MappedFile(path: path) else { return nil }
    return try? ELFFile(file)
  }

  /// The folder the file is really in, without symbolic links.
  private static func folder(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return "." }
    defer { free(resolved) }
    let text = String(cString: resolved)
    return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
  }

  private static func isSameFile(_ a: String, _ b: String) -> Bool {
    var first = stat()
    var second = stat()
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }
}
