import BinaryInspection
import DebugInfo
import FirstlightModel
import Glibc
import ReportFormats
import StartupReport
import SymbolOrdering
import SystemSupport

/// The step that gives a Swift program a table of its conformances.
extension Optimizer {
  /// Links the program with the table too, and makes it the candidate if it starts faster than the one without.
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
      guard let recorded = try pairs(files.recorded), !recorded.pairs.isEmpty else {
        return (prefetch, nil)
      }
      try ResultDirectory.copy(results.map, to: map)
      let ranges = try linkTable(words, like: recorded)
      let step = Optimization.Conformances.Step(
        records: recorded.pairs.count, comparison: try compare(files.after, files.tabled))
      if step.isFaster {
        try takeTabled(isPrefetching: ranges != nil)
        unlink(map)
        return (ranges, .kept(step))
      }
      outcome = .notFaster(step)
    } catch {
      outcome = .impossible(error.problem)
    }
    unlink(files.conformances)
    if access(map, F_OK) == 0 { try ResultDirectory.move(map, to: results.map) }
    return (prefetch, outcome)
  }

  /// Makes the program with the table the candidate.
  private func takeTabled(isPrefetching: Bool) throws(Failure) {
    try results.copyProgram(files.tabled, to: files.after)
    if isPrefetching {
      try ResultDirectory.move(files.tabledPrefetch, to: files.prefetch)
    } else {
      unlink(files.prefetch)
    }
  }

  /// Links the program with a table of its conformances.
  ///
  /// - Parameter recorded: the conformances of the same program in another order.
  /// - Returns: the pages that it prefetches.
  private func linkTable(
    _ words: [String], like recorded: ConformancePairs
  ) throws(Failure) -> PrefetchRanges? {
    let last = ToolObject.linkerWords(conformances: files.conformances)
    // The table must not move the records that it describes, so the first link has room for it.
    try ToolObject.write(ConformanceTable(sizeFor: recorded), to: files.conformances)
    if prefetches { try ToolObject.write(prefetching: [], to: files.tabledPrefetch) }
    try link(
      words + (prefetches ? [files.tabledPrefetch] : []) + last,
      "linking with room for a table of conformances", log: "link-conformances", to: files.tabled)
    try DebugImage(path: files.tabled, debugDirectories: []).checkConformanceRuntime()
    let table = try table(of: files.tabled)
    try ToolObject.write(table, to: files.conformances)
    let ranges = try link(words, then: last, to: files.tabled, prefetch: files.tabledPrefetch)
    guard try self.table(of: files.tabled) == table else {
      throw Failure(.data, "its records moved when the table was filled in")
    }
    return ranges
  }

  private func table(of program: String) throws(Failure) -> ConformanceTable {
    guard let found = try pairs(program) else {
      throw Failure(.data, "the linker left its records out")
    }
    return ConformanceTable(found)
  }

  private func pairs(_ program: String) throws(Failure) -> ConformancePairs? {
    try DebugImage(path: program, debugDirectories: []).conformancePairs()
  }
}
