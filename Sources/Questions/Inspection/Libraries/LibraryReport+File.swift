import DebugInfo
import FirstlightModel
import ProfileFile
import Recording
import SystemSupport

extension LibraryReport {
  /// The libraries of a program or library, or those of a profile's first process.
  ///
  /// - Parameter file: an ELF file or a profile.
  /// - Throws: `Failure` if the file cannot be read, or is neither.
  package init(ofFile file: String) throws(Failure) {
    if FileStart.bytes(of: file).starts(with: "SQLite format 3\0".utf8) {
      try self.init(recordedIn: file)
    } else {
      try self.init(ofBinary: file)
    }
  }

  private init(ofBinary file: String) throws(Failure) {
    let facts = try Self.facts(file)
    var notes = Self.notes(facts)
    if !facts.dynamic.needed.isEmpty {
      notes.append(
        "To see first uses and load times, record a run: firstlight record --no-rebuild -o app.flp "
          + "-- \(Escaping.shellWord(file)); then: firstlight libraries app.flp")
    }
    self.init(LibrarySearch.graph(facts), notes: notes)
  }

  private init(recordedIn file: String) throws(Failure) {
    let profile = try ProfileFile.read(file)
    let recorded = try RecordedLibraries(profile, from: file)
    let facts = try Self.facts(recorded.path)
    let graph = LibrarySearch.graph(facts, later: recorded.later)
    self.init(
      graph, runs: recorded.runs, ready: recorded.ready,
      notes: Self.notes(facts) + recorded.notes + Self.changes(in: graph, since: profile))
  }

  /// A line for each library that has changed since the recording.
  private static func changes(in graph: LibraryGraph, since profile: Profile) -> [String] {
    graph.nodes.compactMap { node in
      let builds = profile.builds.map(\.build).filter {
        AbsolutePath.resolved($0.path) == node.path
      }
      guard let id = node.facts.buildID, !builds.isEmpty,
        !builds.contains(where: { $0.buildID == id })
      else { return nil }
      return "\(node.path) has changed since it was recorded."
    }
  }

  private static func notes(_ facts: BinaryFacts) -> [String] {
    guard !facts.dynamic.needed.isEmpty, LoaderListing.paths(facts) == nil else { return [] }
    return [
      "Its loader could not be asked; libraries were searched for in its run path and the usual folders."
    ]
  }

  private static func facts(_ path: String) throws(Failure) -> BinaryFacts {
    try FileStart.refuseScript(path)
    return try DebugImage(path: path, debugDirectories: []).facts()
  }
}
