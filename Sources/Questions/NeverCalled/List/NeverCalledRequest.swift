import FirstlightModel
import SystemSupport

/// A request for the functions that no run of a profile called. The commands, the daemon and its pages use it.
/// A front end keeps the defaults of settings that it cannot know; the daemon has no source files, for example.
package struct NeverCalledRequest {
  /// Patterns of modules; empty: all.
  package var modules: [String] = []
  /// Patterns of source files and folders; empty: all.
  package var paths: [String] = []
  /// Patterns of excluded modules and files.
  package var excluded: [String] = []
  /// The folder for relative patterns; nil: patterns match whole paths only.
  package var folder: String?
  /// The rule for the project's own code; nil: there is no rule, and all code is listed.
  package var ownCode: OwnCode?
  /// Whether tests and dependencies are listed, too.
  package var listsDependencies = false
  /// Whether the rows contain all code. Gates are not affected.
  package var listsForeign = false
  package var sorting = DeadCodeList.Sorting.module
  package var showsAll = false
  package var minimumBytes: UInt64 = 0
  package var minimumRuns: Int?
  /// Seconds.
  package var minimumTime: Double?
  /// The threshold: a share of the runs. Functions that fewer runs called are below the threshold.
  package var below: Double?
  package var baseline: Baseline?
  /// Functions in the linker's list of dropped code: linker names and names for people.
  package var dropped: [(name: String, demangled: String)] = []
  /// The owners of a file.
  package var owners: (String) -> [String] = { _ in [] }

  /// Whether a fleet counted the calls: first calls alone, without the compiler's counters.
  package var isOfFleet = false
  /// Whether the runs are runs of tests.
  package var isOfTests = false

  // MARK: Facts from source files

  /// The current path of a recorded source file.
  package var map: (String) -> String = { $0 }
  /// Whether recorded source files may have another path now.
  var isMapped = false
  /// Why a function is kept although nothing calls it; nil without a reason.
  var keepReason: (FunctionReport) -> String? = { _ in nil }
  /// Whether the source shows that Swift generated an initializer or deinitializer. Debug information cannot
  /// show it, because it gives those the line of their type.
  var isImplicit: (FunctionReport) -> Bool = { _ in false }
  /// The inlining attribute of a declaration. Copies of such a function may leave no record. Called only for
  /// functions without a recorded call.
  package var inlining: (FunctionReport) -> Inlining? = { _ in nil }
  /// Source files that are missing at their recorded path.
  var missingFiles: () -> [String] = { [] }

  /// An attribute about copies of a function.
  package enum Inlining: Sendable {
    /// Copies in every build: `@_transparent`, `@inline(always)`.
    case mandatory
    /// Copies in optimised builds: `@inline(__always)`.
    case whenOptimised
    /// Calls that the compiler may evaluate: `constexpr`, `consteval`.
    case evaluated
    /// No copies: `@inline(never)`, `noinline`.
    case never
  }

  package init() {}

  /// The never-called list. Fails if too little was recorded, or if no function matches.
  package func list(from profile: consuming Profile) throws(Failure) -> DeadCodeList {
    // The profile is large, so it is released before the list is created.
    DeadCodeList(try report(of: consume profile), for: self)
  }

  /// The report that the list shows. Fails like `list`.
  package func report(of profile: Profile) throws(Failure) -> DeadCodeReport {
    try check(Observation(of: profile))
    let report = DeadCodeReport(of: profile, for: self)
    if report.functions.isEmpty { throw Self.nothing(of: profile, report.observation) }
    try check(report)
    return report
  }

  /// Whether functions of a module and file match the request.
  func isWanted(_ module: String, _ file: String?) -> Bool {
    func fits(_ pattern: String) -> Bool {
      file.map { Glob.matchesPlace(pattern, $0, from: folder) } ?? false
    }
    return (modules.isEmpty || modules.contains { Glob.matches($0, module) })
      && (paths.isEmpty || paths.contains(where: fits))
      && !excluded.contains { Glob.matches($0, module) || fits($0) }
  }
}

extension NeverCalledRequest {
  /// - Parameter profile: the profile in which no function matches the request.
  static func nothing(of profile: Profile, _ observation: Observation) -> Failure {
    let modules = Set(
      profile.builds.flatMap { recorded in
        recorded.build.guarded.map { $0.moduleName(in: recorded.build) }
      }
    ).sorted()
    if modules.isEmpty, !profile.losses.isEmpty {
      return Failure(
        .lossy, "the profile contains no functions: what ran could not be recorded",
        advice: "firstlight info shows the losses and their reasons")
    }
    if modules.isEmpty {
      if let problem = observation.problems.first {
        return Failure(.data, "the profile contains no functions: \(problem.text)")
      }
      return Failure(
        .data, "the profile contains no functions",
        advice: "build with the flags that firstlight flags prints, or record with --no-rebuild")
    }
    return Failure(
      .data, "no function matches --module, --path and --exclude",
      advice: "recorded modules: \(modules.prefix(12).joined(separator: ", "))"
        + (modules.count > 12 ? ", ..." : ""))
  }

  func check(_ observation: Observation) throws(Failure) {
    if let minimumRuns, observation.runs < minimumRuns {
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: \(CountText.text(observation.runs, "run")) recorded; --min-runs "
          + "requires \(CountText.number(minimumRuns))",
        advice: "record more runs and pass all profiles")
    }
    if let minimumTime, observation.timeObserved < minimumTime {
      throw Failure(
        .insufficientEvidence,
        "insufficient evidence: \(TimeText.text(observation.timeObserved)) recorded; --min-time "
          + "requires \(TimeText.text(minimumTime))",
        advice: "record longer or more often, and pass all profiles")
    }
  }

  /// Checks the runs of each function separately, because no run loads the images and builds of all functions.
  func check(_ report: DeadCodeReport) throws(Failure) {
    let functions = report.functions
    let fewest = functions.indices.lazy.filter { functions[$0].verdict == .neverCalled }
      .map { functions[$0].watchedRuns }.min()
    guard let minimumRuns, let fewest, fewest < minimumRuns else { return }
    throw Failure(
      .insufficientEvidence,
      "insufficient evidence: only \(CountText.number(fewest)) of "
        + "\(CountText.text(report.observation.runs, "run")) recorded some of the never-called "
        + "functions; --min-runs requires \(CountText.number(minimumRuns))",
      advice: "record more runs of each build, or choose modules with --module")
  }
}
