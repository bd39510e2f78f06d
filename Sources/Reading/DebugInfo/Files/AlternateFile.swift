import FirstlightModel

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
    let path = SourcePaths.plain(link.path.hasPrefix("/") ? link.path : "\(folder)/\(link.path)")
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
