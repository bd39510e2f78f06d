import FirstlightModel
import TextFormatting

/// Takes back removals until the rest builds and passes its tests.
///
/// What errors of a build name is taken back first: one run for all of them. Where no error names
/// anything, halves of the removals are tried: log2(n) runs for one that must stay.
package struct PruneVerification {
  package struct Result: Hashable, Sendable {
    package var removed: Set<Int>
    /// With the line that says why.
    package var takenBack: [Int: String] = [:]
    /// How often the command ran.
    package var runs = 0
  }

  private let candidates: [PruneCandidate]
  private let attempt: (Set<Int>) throws -> VerificationOutcome
  private var result: Result
  private var isKnownToPass = false

  /// - Parameter attempt: builds and tests with these candidates removed, and those that nothing
  ///   else refers to.
  package init(
    _ candidates: [PruneCandidate], removing removed: Set<Int>,
    attempt: @escaping (Set<Int>) throws -> VerificationOutcome
  ) {
    self.candidates = candidates
    self.attempt = attempt
    result = Result(removed: removed)
  }

  /// Throws `Failure` of kind `data` if the command fails with nothing removed, and what an attempt
  /// throws.
  package mutating func run() throws -> Result {
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

  /// What fails anyway says nothing of removals.
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

  /// A candidate and all that it needs.
  private func withUses(_ number: Int) -> Set<Int> {
    var found: Set = [number]
    var next = [number]
    while let current = next.popLast() {
      for used in candidates[current].uses where found.insert(used).inserted { next.append(used) }
    }
    return found
  }

  // MARK: Bisection

  /// One candidate that breaks the build when it goes with those before it, and the line that says
  /// so.
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

  /// The removed ones, each behind those that refer to it, as far as they go in no circle: then the
  /// first of them can go without the others.
  private var usersFirst: [Int] {
    var isDone = Set<Int>()
    var order: [Int] = []
    // What a candidate needs is put in order before it; then the order is turned round.
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
