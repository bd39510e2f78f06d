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

/// Finds the file that `dwz` moved to what several files' debug information has in common
/// (`.gnu_debugaltlink`, dwz(1)).
enum AlternateFile {
  /// The reference of a file to its alternate.
  struct Link {
    var path: String
    /// Nil if it is none that a file can have.
    var buildID: BuildID?

    /// What is left out without it, for people.
    var missing: String {
      "names in the dwz file \(path) of build id "
        + "\(buildID?.description ?? "unknown"), which was not found,"
    }
  }

  /// The first candidate of the build id that the link names: by build id, then by its path, which counts
  /// from the file with the link and must not lead out of its folder and the debug directories.
  static func find(_ link: Link, for file: ELFFile, _ search: DebugFileSearch) -> ELFFile? {
    guard let buildID = link.buildID else { return nil }
    let folder = DebugFileSearch.folder(of: file.path)
    let path = NumberedPaths.plain(link.path.hasPrefix("/") ? link.path : "\(folder)/\(link.path)")
    let name = path.split(separator: "/").last ?? ""
    var candidates = search.paths(of: buildID)
    if ([folder] + search.directories).contains(where: { DebugFileSearch.isPath(path, below: $0) })
    {
      candidates.append(path)
    }
    candidates.append("\(folder)/\(name)")
    candidates += search.directories.map { "\($0)/.dwz/\(name)" }
    for candidate in candidates {
      if let found = DebugFileSearch.open(candidate, isPart: true),
        Notes.buildID(found) == buildID,
        found.machine == file.machine, found.hasDWARF
      {
        return found
      }
    }
    return nil
  }
}
