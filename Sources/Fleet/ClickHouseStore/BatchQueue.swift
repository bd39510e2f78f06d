import FleetModel

/// Batches that wait to be written: what came while an attempt was under way goes into the next one, within
/// bounds, and each sender gets its own answer.
///
/// Whoever comes first leads: it writes its own batch with those that wait, tells their senders, and hands
/// on to the first that came meanwhile. So a batch waits for the attempt that is under way and for no clock.
actor BatchQueue {
  struct Entry: Sendable {
    fileprivate let number: Int
    let traces: [FleetTrace]
    let day: FleetDay
    fileprivate let weight: Int
  }

  typealias Answer = Result<IngestReceipt, any Error>

  /// What a sender has to do.
  enum Turn: Sendable {
    /// Write these, of which the first is its own, then tell the others and hand on.
    case lead([Entry])
    case answered(Answer)
  }

  private let weightLimit: Int
  private var isLed = false
  private var count = 0
  private var waiting: [(entry: Entry, continuation: CheckedContinuation<Turn, Never>)] = []
  /// Those that are being written by another sender.
  private var written: [Int: CheckedContinuation<Turn, Never>] = [:]

  /// - Parameter weightLimit: the most that batches of several senders weigh together; see `BatchWeight`.
  init(weightLimit: Int) { self.weightLimit = weightLimit }

  func join(_ traces: [FleetTrace], on day: FleetDay) async -> Turn {
    count += 1
    let entry = Entry(
      number: count, traces: traces, day: day, weight: BatchWeight.of(traces))
    guard isLed else {
      isLed = true
      return .lead(takeMore(with: entry))
    }
    return await withCheckedContinuation { waiting.append((entry, $0)) }
  }

  /// Tells the senders of entries what became of them.
  func answer(_ entries: some Sequence<Entry>, _ answers: some Sequence<Answer>) {
    for (entry, answer) in zip(entries, answers) {
      written.removeValue(forKey: entry.number)?.resume(returning: .answered(answer))
    }
  }

  /// How many wait that nobody writes yet.
  var waitingCount: Int { waiting.count }

  /// Lets the next one lead.
  func handOn() {
    guard !waiting.isEmpty else {
      isLed = false
      return
    }
    let (entry, continuation) = waiting.removeFirst()
    continuation.resume(returning: .lead(takeMore(with: entry)))
  }

  /// An entry and those that fit beside it, in the order in which they came.
  private func takeMore(with first: Entry) -> [Entry] {
    var weight = first.weight
    var group = [first]
    while let next = waiting.first, next.entry.day == first.day,
      weight + next.entry.weight <= weightLimit
    {
      waiting.removeFirst()
      weight += next.entry.weight
      group.append(next.entry)
      written[next.entry.number] = next.continuation
    }
    return group
  }
}
