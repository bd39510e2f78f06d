import Synchronization

/// Answers that add up over tags, kept so that a question that repeats asks only for what is new.
///
/// Rows of a live tag stay as they are until rows are deleted, and the log notes that. So an answer for
/// some tags holds while all of them are live. There is one for each level: tags of low levels come and go
/// with each few batches, but hold little; those of high levels hold nearly all, and stay for hours.
final class AnswerCache<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
  private struct Layer {
    var tags: Set<UInt64>
    var answer: Answer
  }

  private struct Entry {
    var layers: [UInt32: Layer] = [:]
    var deletion: UInt64
    var began = ContinuousClock.now
    var used = ContinuousClock.now
    var weight = 0
  }

  private let entries = Mutex<[Question: Entry]>([:])
  private let weightLimit: Int
  private let weigh: @Sendable (Answer) -> Int
  private let add: @Sendable (Answer, Answer) -> Answer

  /// A deletion that broke off before it was noted shows after this time at the latest.
  private let maximalAge = Duration.seconds(600)

  /// - Parameters:
  ///   - weightLimit: of all answers together; those that were not used for the longest time go.
  ///   - add: adds up answers for different tags.
  init(
    weightLimit: Int, weigh: @escaping @Sendable (Answer) -> Int,
    add: @escaping @Sendable (Answer, Answer) -> Answer
  ) {
    self.weightLimit = weightLimit
    self.weigh = weigh
    self.add = add
  }

  /// The answer for the live tags of a state; nil if there are none.
  /// - Parameter ask: asks for some of them.
  func answer<Problem>(
    _ question: Question, in state: LogState,
    ask: (LogState) async throws(Problem) -> Answer
  ) async throws(Problem) -> Answer? {
    var entry = kept(question, deletion: state.deletion)
    let levels = Dictionary(grouping: state.levels.keys) { state.levels[$0] ?? 0 }.mapValues(
      Set.init)
    entry.layers = entry.layers.filter { level, layer in
      levels[level].map { layer.tags.isSubset(of: $0) } ?? false
    }
    for (level, tags) in levels.sorted(by: { $0.key < $1.key }) {
      let known = entry.layers[level]
      let new = known.map { tags.subtracting($0.tags) } ?? tags
      if new.isEmpty { continue }
      var part = state
      part.levels = state.levels.filter { new.contains($0.key) }
      let answer = try await ask(part)
      entry.layers[level] = Layer(
        tags: tags, answer: known.map { add($0.answer, answer) } ?? answer)
    }
    keep(entry, of: question)
    return entry.layers.sorted { $0.key > $1.key }.map(\.value.answer).reduce(nil) { sum, answer in
      sum.map { add($0, answer) } ?? answer
    }
  }

  private func kept(_ question: Question, deletion: UInt64) -> Entry {
    let entry = entries.withLock { $0[question] }
    guard let entry, entry.deletion == deletion, entry.began.duration(to: .now) < maximalAge else {
      return Entry(deletion: deletion)
    }
    return entry
  }

  private func keep(_ entry: Entry, of question: Question) {
    var entry = entry
    entry.used = .now
    entry.weight = entry.layers.values.reduce(0) { $0 + weigh($1.answer) }
    entries.withLock { entries in
      entries[question] = entry
      var weight = entries.values.reduce(0) { $0 + $1.weight }
      while weight > weightLimit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
        entries[oldest.key] = nil
        weight -= oldest.value.weight
      }
    }
  }
}
