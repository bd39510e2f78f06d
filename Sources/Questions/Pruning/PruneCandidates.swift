import FirstlightModel
import NeverCalled
import ReferenceIndex

/// The removable rows of a never-called list.
package enum PruneCandidates {
  /// Fails with `.usage` if the answer has no references.
  ///
  /// - Parameter withTests: whether to remove functions that tests alone call, and those tests.
  package static func of(
    _ answer: NeverCalledAnswer, withTests: Bool = false
  ) throws(Failure) -> [PruneCandidate] {
    guard let references = answer.references else {
      throw Failure(.usage, "nothing shows what refers to the functions", advice: "pass --index")
    }
    var candidates: [PruneCandidate] = []
    var numbers: [ReferenceIndex.Symbol: Int] = [:]
    var inner: [(row: FunctionReport, outer: ReferenceIndex.Symbol)] = []
    for row in answer.list.gated {
      let isUnneeded =
        withTests
        ? references.isUnneeded(row.identity)
        : references.report(row.identity)?.isDeletable == true
      guard isUnneeded else { continue }
      guard let symbol = references.symbol(row.identity) else {
        references.outerSymbol(row.identity).map { inner.append((row, $0)) }
        continue
      }
      if let known = numbers[symbol] {
        candidates[known].add(row)
        continue
      }
      let age = FunctionAge(of: row, answer.list.report.observation)
      guard let candidate = candidate(row, age, symbol, in: references.index) else { continue }
      numbers[symbol] = candidates.count
      candidates.append(candidate)
    }
    // Local functions go with the functions around them.
    for (row, outer) in inner { numbers[outer].map { candidates[$0].add(row) } }
    for (number, candidate) in candidates.enumerated() {
      for reference in references.index.references(to: candidate.symbol) {
        guard let user = reference.container.flatMap({ numbers[$0] }), user != number else {
          continue
        }
        candidates[user].uses.append(number)
      }
    }
    guard withTests else { return candidates }
    let ownCode = answer.ownCode
    return PrunableTests(candidates, references) {
      ownCode?.origin(of: $0) == .dependency
    }.candidates
  }

  /// The rows that references alone would allow to remove, each with the reason why it stays.
  package static func refused(_ answer: NeverCalledAnswer) -> [(name: String, reason: String)] {
    guard let references = answer.references else { return [] }
    return answer.list.gated.compactMap { row in
      references.keeping(row.identity).map { (row.shortName, $0) }
    }
  }

  private static func candidate(
    _ row: FunctionReport, _ age: FunctionAge?, _ symbol: ReferenceIndex.Symbol,
    in index: ReferenceIndex
  ) -> PruneCandidate? {
    DeletionCandidate(symbol, named: row.shortName, in: index).map { declared in
      PruneCandidate(
        name: declared.name, mangledName: row.mangledName, identity: row.identity, age: age,
        bytes: row.bytes, symbol: symbol, definition: declared.definition,
        declarations: declared.declarations)
    }
  }
}
