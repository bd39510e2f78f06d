import DeadCode
import FirstlightModel
import NeverCalledListing
import ReferenceIndex
import References

/// The never-called functions that only others of them refer to: those that can be removed, and those
/// that stay because a library offers them.
package enum MarkableCandidates {
  /// - Parameters:
  ///   - isUsed: whether a function in C may have users among them. gcc warns of a deprecated
  ///     function within a deprecated one, too.
  ///   - isVerified: whether a build shows which functions of C++ templates call.
  /// - Throws: `Failure` of kind `.usage` if the answer has no references.
  package static func of(
    _ answer: NeverCalledAnswer, isUsed: Bool, isVerified: Bool = false
  ) throws(Failure) -> [PruneCandidate] {
    var candidates = try PruneCandidates.of(answer) { report in
      if case .unknown(.templates) = report.reason { return true }
      return [.deletable, .onlyNeverCalled, .publicInterface].contains(ReferenceGroup(report))
    }
    if !isVerified { candidates = candidates.without(where: \.isInCxx) }
    guard let index = answer.references?.index else { return candidates }
    var staying = Set(candidates.indices)
    var symbols = Set(candidates.map(\.symbol))
    while true {
      let left = staying.filter { number in
        let candidate = candidates[number]
        return index.references(to: candidate.symbol).allSatisfy { reference in
          (isUsed || candidate.isSwift) && reference.container.map(symbols.contains) == true
        }
      }
      if left.count == staying.count { break }
      staying = left
      symbols = Set(staying.map { candidates[$0].symbol })
    }
    return candidates.only(staying)
  }
}

extension [PruneCandidate] {
  fileprivate func without(where isLeftOut: (PruneCandidate) -> Bool) -> [PruneCandidate] {
    only(Set(indices.filter { !isLeftOut(self[$0]) }))
  }

  /// These candidates, and what they use among themselves.
  fileprivate func only(_ numbers: Set<Int>) -> [PruneCandidate] {
    let kept = numbers.sorted()
    let places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    return kept.map { number in
      var candidate = self[number]
      candidate.uses = candidate.uses.compactMap { places[$0] }
      return candidate
    }
  }

  /// The candidates that `prune --marked` removes: marked for long enough, and others that only
  /// these refer to.
  ///
  /// - Parameter isPublic: whether a library offers a candidate: then it needs a mark of its own.
  package func removable(
    marked: [Int: RetirementAge], by rules: RetirementRules, isPublic: (Int) -> Bool
  ) -> Set<Int> {
    let due = marked.filter { rules.remove.isMet(days: $0.value.days, runs: $0.value.runs) }
    var chosen = Set(due.keys)
    var users = [[Int]](repeating: [], count: count)
    for (number, candidate) in enumerated() {
      for used in candidate.uses { users[used].append(number) }
    }
    while true {
      let more = indices.filter { number in
        !chosen.contains(number) && marked[number] == nil && !isPublic(number)
          && !users[number].isEmpty && users[number].allSatisfy(chosen.contains)
      }
      if more.isEmpty { return chosen }
      chosen.formUnion(more)
    }
  }
}

/// What was recorded of a function since its mark.
package struct RetirementAge: Hashable, Sendable {
  package var days: Double
  package var runs: Int
}
