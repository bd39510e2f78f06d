import FirstlightModel
import SystemSupport

/// The never-called question: which functions no run of a profile called. The commands, the daemon and its
/// pages ask it here. What a front end does not know stays as it is: the daemon has no source files.
package struct NeverCalledRequest {
  /// Patterns of modules; empty: all.
  package var modules: [String] = []
  /// Patterns of source files and folders; empty: all.
  package var paths: [String] = []
  /// Patterns of modules and files that are left out.
  package var excluded: [String] = []
  /// The folder that patterns may be relative to; nil: only whole paths fit.
  package var folder: String?
  /// Whose code is whose; nil: nothing shows it, and all code is listed.
  package var ownCode: OwnCode?
  /// Whether tests and dependencies are listed, too.
  package var listsDependencies = false
  /// Whether the rows are those of all code, whatever gates count.
  package var listsForeign = false
  package var sorting = DeadCodeList.Sorting.module
  package var showsAll = false
  package var minimumBytes: UInt64 = 0
  package var minimumRuns: Int?
  /// Seconds.
  package var minimumTime: Double?
  /// Called by a smaller share of the runs than this: below the threshold.
  package var below: Double?
  package var baseline: Baseline?
  /// What the linker says it dropped: linker names and names for people.
  package var dropped: [(name: String, demangled: String)] = []
  /// Who answers for a file.
  package var owners: (String) -> [String] = { _ in [] }

  // MARK: What source files show

  /// Where a recorded source file is now.
  package var map: (String) -> String = { $0 }
  /// Why a function is kept although nothing calls it; nil without a reason.
  package var keepReason: (FunctionReport) -> String? = { _ in nil }
  /// Whether the source shows that an initializer or deinitializer was made by Swift. Debug information
  /// doesn't: it gives those the line of their type.
  package var isImplicit: (FunctionReport) -> Bool = { _ in false }
  /// Whether and how the source demands that a function be copied into its callers, which may leave no
  /// record. Called only for functions without a recorded call.
  package var inlining: (FunctionReport) -> Inlining? = { _ in nil }
  /// Source files that are not where they were recorded.
  package var missingFiles: () -> [String] = { [] }

  /// What a declaration demands about copies of its function.
  package enum Inlining: Sendable {
    /// In every build: `@_transparent`, `@inline(always)`.
    case mandatory
    /// In optimised ones: `@inline(__always)`.
    case whenOptimised
    /// Nowhere: `@inline(never)`, `noinline`.
    case never
  }

  package init() {}

  /// The list. Fails if too little was recorded, or if no function matches.
  package func list(from profile: consuming Profile) throws(Failure) -> DeadCodeList {
    // The profile is large: it is released before the list is made.
    DeadCodeList(try report(of: consume profile), for: self)
  }

  private func report(of profile: Profile) throws(Failure) -> DeadCodeReport {
    try check(Observation(of: profile))
    let report = DeadCodeReport(of: profile, for: self)
    if report.functions.isEmpty { throw Self.nothing(of: profile) }
    try check(report)
    return report
  }

  /// Whether functions of a module and file are looked at.
  func isWanted(_ module: String, _ file: String?) -> Bool {
    func fits(_ pattern: String) -> Bool {
      file.map { Glob.matchesPlace(pattern, $0, from: folder) } ?? false
    }
    return (modules.isEmpty || modules.contains { Glob.matches($0, module) })
      && (paths.isEmpty || paths.contains(where: fits))
      && !excluded.contains { Glob.matches($0, module) || fits($0) }
  }
}
