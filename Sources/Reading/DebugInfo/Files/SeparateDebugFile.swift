import CZlib
import FirstlightModel
import Glibc

/// Finds the separate file with an image's debug information, in the places where gdb looks (gdb
/// manual, "Debugging Information in Separate Files").
enum SeparateDebugFile {
  /// The first candidate that belongs to `elf`: by build id if it has one, then by debug link.
  static func find(
    for elf: ELFFile, _ search: DebugFileSearch
  ) -> ELFFile? {
    for path in search.paths(of: elf.buildID) {
      if let found = DebugFileSearch.open(path), found.buildID == elf.buildID,
        found.machine == elf.machine
      {
        return found
      }
    }
    guard let link = elf.debugLink, !link.name.containsUTF8("/") else { return nil }
    var folders = [(root: "", folder: DebugFileSearch.folder(of: elf.path))]
    if let place = search.place { folders.append((place.root, DebugFileSearch.parent(place.path))) }
    let candidates = folders.flatMap { root, folder in
      [root + folder, "\(root)\(folder)/.debug"] + search.directories.map { $0 + folder }
    }.map { "\($0)/\(link.name)" }
    for path in candidates where !DebugFileSearch.isSameFile(path, elf.path) {
      if let found = DebugFileSearch.open(path), found.machine == elf.machine,
        checksum(found.file.bytes) == link.checksum
      {
        return found
      }
    }
    return nil
  }

  /// `file` as the debug file of `elf`; nil if neither its build id nor the debug link matches.
  static func fitting(_ file: MappedFile, for elf: ELFFile) -> ELFFile? {
    guard let found = try? ELFFile(file), found.machine == elf.machine else { return nil }
    if let buildID = elf.buildID, found.buildID == buildID { return found }
    guard let link = elf.debugLink, checksum(file.bytes) == link.checksum else {
      return nil
    }
    return found
  }

  /// The checksum of `.gnu_debuglink`.
  private static func checksum(_ bytes: Bytes) -> UInt32 {
    UInt32(crc32_z(0, bytes.base.assumingMemoryBound(to: UInt8.self), bytes.count))
  }
}
