import FirstlightModel
import ReferenceIndex

/// The functions that references alone would allow to delete.
struct DeletionCandidates {
  private(set) var all: [DeletionCandidate] = []
  /// By candidate: its functions. Copies of a header's function share a declaration.
  private var subjects: [[Int]] = []
  /// By function without a candidate: why it stays.
  private var refusals: [Int: DeletionRefusal] = [:]

  /// - Parameter names: of the functions, for display.
  init(_ classifier: ReferenceClassifier, names: (Int) -> String) {
    var groups: [ReferenceIndex.Symbol: [Int]] = [:]
    for subject in classifier.subjects.indices {
      classifier.symbol(of: subject).map { groups[$0, default: []].append(subject) }
    }
    var numbers: [ReferenceIndex.Symbol: Int] = [:]
    for (symbol, members) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let removable = members.filter { classifier.clusters.isRemovable($0) }
      guard let first = removable.first else { continue }
      if removable.count < members.count {
        for member in removable { refusals[member] = .declaration(.severalFunctions) }
      } else if let candidate = DeletionCandidate(
        symbol, named: names(first), in: classifier.index)
      {
        numbers[symbol] = all.count
        all.append(candidate)
        subjects.append(members)
      } else {
        for member in members { refusals[member] = .declaration(.notFound) }
      }
    }
    for (symbol, number) in numbers {
      for reference in classifier.index.references(to: symbol) {
        guard let user = reference.container.flatMap({ numbers[$0] }), user != number else {
          continue
        }
        all[user].uses.append(number)
      }
    }
  }

  /// The answer by function. Of several that share a declaration, the first one has its lines.
  ///
  /// - Parameter check: answers by candidate.
  func answer(
    _ check: ([DeletionCandidate]) throws(Failure) -> DeletionAnswer
  ) throws(Failure) -> DeletionAnswer {
    var result = DeletionAnswer(refusals: refusals)
    guard !all.isEmpty else { return result }
    let answer = try check(all)
    for candidate in all.indices {
      for subject in subjects[candidate] { result.refusals[subject] = answer.refusals[candidate] }
      result.lines[subjects[candidate][0]] = answer.lines[candidate]
    }
    return result
  }
}
