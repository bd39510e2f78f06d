import FirstlightModel
import FleetModel

/// What a store has to count, as plain sets: what hosts have sent, and what was acknowledged.
struct ScheduleModel {
  /// What is counted together: a batch of traces of one subject.
  struct Batch: Sendable {
    var number: Int
    var subject: Int
    /// The guard of each of its traces.
    var traces: Set<Int>
    /// The day, by a clock that is right, on which its host made it.
    var day: Int32
    /// When it was first sent, when it was first acknowledged; in steps of the schedule.
    var sentAt: Int?
    var acknowledgedAt: Int?
  }

  /// A program and a library that all traces of some batches load. The first is never removed.
  struct Subject: Sendable {
    var program: BuildKey
    var library: BuildKey
    /// When the removal that was begun last began; nil: none was.
    var removalBeganAt: Int?
    var removedAt: Int?

    init(_ number: Int) {
      program = BuildKey(buildID: BuildID("a\(number + 100)")!)
      library = BuildKey(buildID: BuildID("b\(number + 100)")!)
    }
  }

  private(set) var batches: [Batch] = []
  var subjects: [Subject] = []
  private var nextTrace = 0
  static let guards = 512

  mutating func addBatch(of subject: Int, traces count: Int, day: Int32) -> Int {
    let number = batches.count
    batches.append(
      Batch(
        number: number, subject: subject, traces: Set(nextTrace..<nextTrace + count), day: day))
    nextTrace += count
    return number
  }

  mutating func noteSent(_ batch: Int, at step: Int) {
    if batches[batch].sentAt == nil { batches[batch].sentAt = step }
  }

  mutating func noteAcknowledged(_ batch: Int, at step: Int) {
    if batches[batch].acknowledgedAt == nil { batches[batch].acknowledgedAt = step }
  }

  /// What is wrong with an answer for a subject that was asked for between two steps.
  func violations(
    of answer: ScheduleAnswer, subject number: Int, from begin: Int, to end: Int
  ) -> [String] {
    let subject = subjects[number]
    // While it is removed, some of it is there.
    if subject.removalBeganAt != nil && subject.removedAt == nil { return [] }
    var found = answer.contradictions
    let counted = answer.traces
    var sent: Set<Int> = []
    for batch in batches where batch.subject == number {
      guard let sentAt = batch.sentAt, sentAt <= end else { continue }
      sent.formUnion(batch.traces)
      let part = batch.traces.intersection(counted)
      if !part.isEmpty && part != batch.traces {
        found.append("batch \(batch.number) counts in part: \(part.sorted())")
      }
      let isAcknowledged = batch.acknowledgedAt.map { $0 <= begin } ?? false
      if let began = subject.removalBeganAt, let removed = subject.removedAt {
        if let acknowledgedAt = batch.acknowledgedAt, acknowledgedAt < began, !part.isEmpty {
          found.append("batch \(batch.number) was removed and is back")
        }
        if sentAt > removed, isAcknowledged, part.isEmpty {
          found.append("batch \(batch.number) came after the removal and is lost")
        }
      } else if isAcknowledged, part.isEmpty {
        found.append("batch \(batch.number) is lost")
      }
    }
    let unsent = counted.subtracting(sent)
    if !unsent.isEmpty { found.append("nobody sent \(unsent.sorted())") }
    return found
  }

  /// A batch's traces: each is a run of its own that calls one guard of the program and of the library.
  func traces(of batch: Int, on day: FleetDay) -> [FleetTrace] {
    let subject = subjects[batches[batch].subject]
    return batches[batch].traces.sorted().map { number in
      func image(_ key: BuildKey, _ name: String, isExecutable: Bool) -> ObservedProcess.Image {
        .init(build: key, name: name, isExecutable: isExecutable, guardCount: Self.guards)
      }
      let process = ObservedProcess(
        run: "run \(number)", process: "0", forkedFrom: nil, root: "0", host: "host \(number)",
        startedAt: day.start + 100, seconds: 1, readyAfter: 0.2, losses: Losses(),
        images: [
          image(subject.program, "server", isExecutable: true),
          image(subject.library, "libserver.so", isExecutable: false),
        ],
        calls: [0, 1].map {
          RecordedCall(build: $0, guardIndex: UInt32(number), thread: 1, time: 5)
        }, callers: [])
      var (run, host) = (CoverageTally(), CoverageTally())
      return FleetTrace(counting: process, run: &run, host: &host, labels: FleetLabels())
    }
  }
}
