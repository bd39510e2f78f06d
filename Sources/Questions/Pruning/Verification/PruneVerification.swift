import FirstlightModel
import SystemSupport

/// Restores removed candidates until the rest builds and passes its tests.
///
/// Candidates named in a build's errors are restored first, all in one run. If errors name none,
/// the removals are bisected: log2(n) runs for one that must stay.
struct PruneVerification {
  struct Result: Hashable, Sendable {
    var removed: Set<Int>
    /// Restored candidates with the line that explains the failure.
    var takenBack: [Int: String] = [:]
    /// Number of runs of the command.
    var runs = 0
  }

  private let candidates: [PruneCandidate]
  private let attempt: (Set<Int>) throws -> VerificationOutcome
  private var result: Result
  private var isKnownToPass = false

  /// - Parameter attempt: builds and tests without these candidates and those that only they refer
  ///   to.
  init(
    _ candidates: [PruneCandidate], removing removed: Set<Int>,
    attempt: @escaping (Set<Int>) throws -> VerificationOutcome
  ) {
    self.candidates = candidates
    self.attempt = attempt
    result = Result(removed: removed)
  }

  /// Throws `Failure` of kind `data` if the command fails without any removal, and errors of
  /// `attempt`.
  mutating func run() throws -> Result {
    while !result.removed.isEmpty {
      guard case .failed(let lines, let reason) = try run(result.removed) else { break }
      let culprits = FailureCulprits(candidates, removed: result.removed).find(in: lines)
      if culprits.isEmpty {
        try checkWithout()
        let (culprit, why) = try bisect(reason)
        takeBack(culprit, why)
      } else {
        for (number, line) in culprits.sorted(by: { $0.key < $1.key }) { takeBack(number, line) }
      }
    }
    return result
  }

  private mutating func run(_ removed: Set<Int>) throws -> VerificationOutcome {
    result.runs += 1
    return try attempt(removed)
  }

  /// If the command fails without removals, its failures say nothing about them.
  private mutating func checkWithout() throws {
    guard !isKnownToPass else { return }
    if case .failed(_, let reason) = try run([]) {
      throw Failure(
        .data, "the command also fails with nothing removed: \(reason)",
        advice: "make it pass, or name another with --verify; begin it with make clean if objects "
          + "with guards lie in the tree")
    }
    isKnownToPass = true
  }

  private mutating func takeBack(_ number: Int, _ reason: String) {
    for used in withUses(number) where result.removed.remove(used) != nil {
      result.takenBack[used] = used == number ? reason : "\(candidates[number].name) refers to it"
    }
  }

  /// A candidate and all that it refers to, directly or not.
  private func withUses(_ number: Int) -> Set<Int> {
    var found: Set = [number]
    var next = [number]
    while let current = next.popLast() {
      for used in candidates[current].uses where found.insert(used).inserted { next.append(used) }
    }
    return found
  }

  // MARK: Bisection

  /// A candidate that breaks the build when it is removed together with those before it, and the
  /// line of the failure.
  private mutating func bisect(_ reason: String) throws -> (culprit: Int, reason: String) {
    let order = usersFirst
    var (passing, failing) = (0, order.count)
    var reason = reason
    while failing - passing > 1 {
      let middle = (passing + failing) / 2
      switch try run(Set(order[..<middle])) {
      case .passed: passing = middle
      case .failed(_, let why): (failing, reason) = (middle, why)
      }
    }
    return (order[failing - 1], reason)
  }

  /// The removed candidates, each after those that refer to it, except in cycles: any prefix can
  /// then be removed on its own.
  private var usersFirst: [Int] {
    var isDone = Set<Int>()
    var order: [Int] = []
    // Appends a candidate after those that it refers to; the order is reversed at the end.
    for start in result.removed.sorted().reversed() {
      var way = [(number: start, use: 0)]
      guard isDone.insert(start).inserted else { continue }
      while let (number, use) = way.last {
        let uses = candidates[number].uses
        if use < uses.count {
          way[way.count - 1].use += 1
          if result.removed.contains(uses[use]), isDone.insert(uses[use]).inserted {
            way.append((uses[use], 0))
          }
        } else {
          order.append(number)
          way.removeLast()
        }
      }
    }
    return order.reversed()
  }
}
