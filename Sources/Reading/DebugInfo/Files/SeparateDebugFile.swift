import FirstlightModel
import Glibc

/// Finds the file that holds the debug information split off an image, where gdb looks for it
/// (gdb manual, "Debugging Information in Separate Files").
enum SeparateDebugFile {
  /// The first candidate that belongs to `elf`: by build id if it has one, then by debug link.
  static func find(
    for elf: ELFFile, buildID: BuildID?, _ search: DebugFileSearch
  ) -> ELFFile? {
    for path in search.paths(of: buildID) {
      if let found = DebugFileSearch.open(path), Notes.buildID(found) == buildID,
        found.machine == elf.machine
      {
        return found
      }
    }
    guard let link = Notes.debugLink(elf), !link.name.contains("/") else { return nil }
    let folder = DebugFileSearch.folder(of: elf.path)
    var candidates = ["\(folder)/\(link.name)", "\(folder)/.debug/\(link.name)"]
    candidates += search.directories.map { "\($0)\(folder)/\(link.name)" }
    for path in candidates where !isSameFile(path, elf.path) {
      if let found = DebugFileSearch.open(path), found.machine == elf.machine,
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

  private static func isSameFile(_ a: String, _ b: String) -> Bool {
    var first = stat()
    var second = stat()
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }
}
