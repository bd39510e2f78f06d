import CZlib
import FirstlightModel
import Glibc

/// Finds the file to which `dwz` moved the debug information that several files share
/// (`.gnu_debugaltlink`, dwz(1)).
enum AlternateFile {
  /// A file's reference to its alternate file.
  struct Link {
    var path: String
    /// Nil if it is no valid build id.
    var buildID: BuildID?

    /// The parts that are missing without the file, for the user.
    var missing: String {
      "names in the dwz file \(path) of build id "
        + "\(buildID?.description ?? "unknown"), which was not found,"
    }
  }

  /// The path and build id in `.gnu_debugaltlink`; nil if no data was moved.
  static func link(of elf: ELFFile) -> Link? {
    guard let section = elf.section(".gnu_debugaltlink") else { return nil }
    let contents = elf.contents(section)
    guard let path = contents.cString(0) else { return nil }
    let start = path.count + 1
    let id = UnsafeRawBufferPointer(
      start: contents.base + start, count: min(contents.count - start, 64))
    return Link(path: path.text, buildID: BuildID(bytes: id))
  }

  /// The first candidate with the link's build id: by build id, then by the link's path, which is
  /// relative to the file with the link.
  static func find(_ link: Link, for file: ELFFile, _ search: DebugFileSearch) -> ELFFile? {
    guard let buildID = link.buildID else { return nil }
    let folder = DebugFileSearch.folder(of: file.path)
    let path = NumberedPaths.plain(
      link.path.begins(with: "/") ? link.path : "\(folder)/\(link.path)")
    let name = path.split(at: "/").last ?? ""
    var candidates = search.paths(of: buildID) + [path]
    if let place = search.place { candidates.append(place.root + path) }
    candidates.append("\(folder)/\(name)")
    candidates += search.directories.map { "\($0)/.dwz/\(name)" }
    for candidate in candidates {
      if let found = DebugFileSearch.open(candidate, isPart: true),
        found.buildID == buildID,
        found.machine == file.machine, found.hasDWARF
      {
        return found
      }
    }
    return nil
  }
}
