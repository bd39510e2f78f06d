import FirstlightModel
import SystemSupport

/// The verdict on each function of a profile, and the evidence for it.
package struct DeadCodeReport: Sendable {
  /// The sums of the guards of all builds, and of the functions without guards.
  package struct Sums: Hashable, Sendable {
    /// Entry guards of all builds: the sum of `guardVerdicts`, `outside` and `foreign`.
    package var guards = 0
    /// Guards of functions that the filter leaves out.
    package var outside = 0
    /// Guards of tests and dependencies. Only in sums that are limited to the project's own code.
    package var foreign = 0
    /// One guard of each function has the function's verdict. Its other guards are `folded`.
    var guardVerdicts: [Verdict: Int] = [:]
    /// Functions without a guard in any piece.
    var withoutGuard: [Verdict: Int] = [:]
    /// Functions in all: each has one verdict.
    package var functions = 0
    var functionVerdicts: [Verdict: Int] = [:]

    /// Adds a function and returns the number of its guards.
    @discardableResult
    mutating func add(_ report: borrowing FunctionReport) -> Int {
      let verdict = report.verdict
      let guards = report.pieces.count(where: \.isGuarded)
      functions += 1
      functionVerdicts[verdict, default: 0] += 1
      if guards == 0 {
        withoutGuard[verdict, default: 0] += 1
      } else if verdict == .compilerGenerated {
        guardVerdicts[.compilerGenerated, default: 0] += guards
      } else {
        guardVerdicts[verdict, default: 0] += 1
        guardVerdicts[.folded, default: 0] += guards - 1
      }
      return guards
    }

    /// Whether the sums are consistent.
    package var isBalanced: Bool {
      let bearing = guardVerdicts.filter { $0.key != .folded }
      let functionsInAll = functionVerdicts.values.reduce(0, +)
      return guards == outside + foreign + guardVerdicts.values.reduce(0, +)
        && functions == functionsInAll
        && Verdict.allCases.allSatisfy {
          // Each guard of a compiler-generated function has the function's verdict.
          $0 == .compilerGenerated || $0 == .folded
            || functionVerdicts[$0, default: 0]
              == bearing[$0, default: 0] + withoutGuard[$0, default: 0]
        }
    }
  }

  /// All functions that the filter lets through, the compiler-generated ones too; sorted by module, file,
  /// line and name.
  package var functions: [FunctionReport]
  package var sums: Sums
  package var observation: Observation

  package init(of profile: Profile, for request: NeverCalledRequest = NeverCalledRequest()) {
    observation = Observation(of: profile)
    var collector = EvidenceCollector(profile, request)
    (functions, sums) = collector.reports()
    functions.completeOrigins()
  }

  /// The functions of a list: never called, or below the threshold if one was requested.
  package var listed: [FunctionReport] {
    select { $0.verdict == .neverCalled || $0.verdict == .belowThreshold }
  }

  /// The functions that match. Does not copy the others, because a report is large.
  package func select(_ fits: (borrowing FunctionReport) -> Bool) -> [FunctionReport] {
    functions.indices.filter { fits(functions[$0]) }.map { functions[$0] }
  }

  /// Functions that earlier builds called and the newest recorded builds did not.
  package var unused: [FunctionReport] {
    select { $0.verdict == .called && $0.unusedSince != nil }
  }

  /// Functions with a reason to keep them that are called anyway.
  package var staleKeeps: [FunctionReport] {
    select { $0.isStaleKeep }
  }

  /// The sums of the functions that match. The guards of all others count as `foreign`.
  package func sums(where fits: (borrowing FunctionReport) -> Bool) -> Sums {
    var result = Sums()
    result.guards = sums.guards
    result.outside = sums.outside
    result.foreign = sums.guards - sums.outside
    for index in functions.indices where fits(functions[index]) {
      result.foreign -= result.add(functions[index])
    }
    return result
  }

  package func count(_ verdict: Verdict) -> Int { sums.functionVerdicts[verdict, default: 0] }
}

extension [FunctionReport] {
  /// Sorts by module, file, line and name. Modules and files are few, so most comparisons are of two numbers.
  mutating func sortForReading() {
    let places = Set(map(Place.init)).sorted { ($0.module, $0.file) < ($1.module, $1.file) }
    let ranks = Dictionary(uniqueKeysWithValues: zip(places, 0...))
    let keys = map { (rank: ranks[Place($0)] ?? 0, line: $0.line) }
    let order = indices.sorted { a, b in
      keys[a] == keys[b] ? self[a].name < self[b].name : keys[a] < keys[b]
    }
    self = order.map { self[$0] }
  }

  /// Makes identities unique. Functions of several programs, and of one file that was compiled twice, may have one
  /// name: their file, then their images, and lastly the order of their lines tell them apart.
  mutating func distinguish() {
    var places = indices.filter { !self[$0].isSwift }
    let parts: [((FunctionReport) -> String?)?] = [
      \.file, { $0.images.joined(separator: " ") }, nil,
    ]
    for part in parts {
      let alike = Dictionary(grouping: places) { self[$0].identity }.values.filter { $0.count > 1 }
      places = alike.flatMap(\.self).sorted()
      for places in alike {
        for (number, place) in places.enumerated() {
          let text = part.map { $0(self[place]) } ?? "\(number + 1)"
          guard let text, !self[place].identity.ends(with: " " + text) else { continue }
          self[place].identity += " " + text
        }
      }
    }
  }

  private struct Place: Hashable {
    var module: String
    var file: String

    init(_ function: FunctionReport) { (module, file) = (function.module, function.file ?? "") }
  }
}

extension DeadCodeReport {
  /// Finds functions by a name that a user typed. Exact names come before patterns, and patterns before parts
  /// of names.
  ///
  /// - Parameter name: a whole name as a list shows it, a linker name, part of a name, or a pattern.
  package func functions(named name: String) -> [FunctionReport] {
    func choose(_ isMatch: (String) -> Bool) -> [FunctionReport] {
      select { row in
        isMatch(row.name) || isMatch(row.shortName)
          || row.pieces.contains { !$0.name.isEmpty && isMatch($0.name) }
      }
    }
    let exact = choose { $0 == name }
    if !exact.isEmpty { return exact }
    if name.utf8.contains(where: { "*?[".utf8.contains($0) }) {
      return choose { Glob.matches(name, $0) }
    }
    // The plain name of a function, whatever its parameters.
    let plain = choose { $0.begins(with: name + "(") || $0.containsUTF8("." + name + "(") }
    return plain.isEmpty ? choose { $0.containsUTF8(name) } : plain
  }
}
