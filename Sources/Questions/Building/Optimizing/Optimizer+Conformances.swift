import DebugInfo
import FirstlightModel
import Glibc
import Inspection
import Ordering
import ProcessControl
import Recording
import Startup
import SystemSupport

/// The step that lets a Swift program answer conformance look-ups from an index.
extension Optimizer {
  /// Links the program with the index's object file too, and makes it the candidate if it starts faster than the one
  /// without.
  ///
  /// - Parameters:
  ///   - words: the linker's flags of the candidate, without those for prefetching.
  ///   - prefetch: the pages that the candidate prefetches.
  /// - Returns: the pages that the new candidate prefetches, and the outcome of this step; nil if the program has
  ///   no records, or looks them up in a shared library.
  func addConformances(
    _ words: [String], prefetch: PrefetchRanges?
  ) throws(Failure) -> (PrefetchRanges?, Optimization.Conformances?) {
    guard looksUpConformances else { return (prefetch, nil) }
    // Verification reads the map of the candidate, and each link writes it.
    let map = "\(results.map).ordered"
    var outcome: Optimization.Conformances
    do throws(Failure) {
      let recorded = try DebugImage(path: files.recorded, debugDirectories: [])
      let records = recorded.conformances?.records ?? 0
      guard recorded.hasOwnConformanceLookups, records > 0 else { return (prefetch, nil) }
      try ResultDirectory.copy(results.map, to: map)
      try ToolObject.writeConformances(to: files.conformances)
      let ranges = try link(
        words, then: ConformancesObject.linkerWords(files.conformances), to: files.indexed,
        prefetch: files.indexedPrefetch)
      try DebugImage(path: files.indexed, debugDirectories: []).checkConformanceRuntime()
      let step = Optimization.Conformances.Step(
        records: records, comparison: try compare(files.after, files.indexed))
      if step.isFaster {
        try takeIndexed(isPrefetching: ranges != nil)
        unlink(map)
        return (ranges, .kept(step))
      }
      outcome =
        try usesIndex() ? .notFaster(step) : .impossible("the program would not use it")
    } catch {
      outcome = .impossible(error.problem)
    }
    unlink(files.conformances)
    if access(map, F_OK) == 0 { try ResultDirectory.move(map, to: results.map) }
    return (prefetch, outcome)
  }

  /// Whether the program with the index answers from it: it calls a function of this name if it does not.
  private func usesIndex() throws(Failure) -> Bool {
    let profile = try recorder(of: files.indexed).profile(
      log: ProgramLog(results.log("record-index")))
    return !profile.builds.contains { recorded in
      zip(recorded.build.guarded, recorded.build.entryGuards).contains {
        $0.name == UnusedConformanceIndex.function && recorded.coverage[Int($1)].isCalled
      }
    }
  }

  /// Makes the program with the index the candidate.
  private func takeIndexed(isPrefetching: Bool) throws(Failure) {
    try results.copyProgram(files.indexed, to: files.after)
    if isPrefetching {
      try ResultDirectory.move(files.indexedPrefetch, to: files.prefetch)
    } else {
      unlink(files.prefetch)
    }
  }
}
