import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport

/// Hosts that count their processes, and all that they ever send of them: each version of each row.
struct ExampleHosts {
  static let program = BuildKey(buildID: BuildID("aaaa")!)
  static let library = BuildKey(buildID: BuildID("bbbb")!, recorder: .breakpoints)
  static let guards: [BuildKey: Int] = [program: 120, library: 50]
  static let count = 4
  /// Of the first run.
  static let day = FleetDay(number: 20_717)
  /// When all of them have happened.
  static let today = FleetDay(number: 20_730)

  var generator: SplitMix64
  /// One row each, with the traces that were new.
  private(set) var sent: [PublishedStates] = []
  private var rows: [Row: SeriesState] = [:]
  private var known: [String: CoverageTally] = [:]

  struct Row: Hashable {
    var publisher: PublisherID
    var key: StateKey
  }

  init(seed: UInt64) { generator = SplitMix64(state: seed) }

  /// Some run for days, some begin at another day's end, and one host has no version.
  mutating func run(_ number: Int) throws {
    let host = number % Self.count
    let labels = try FleetLabels(
      [[:], ["version": "1.2"], ["version": "1.3", "region": "eu"]][host % 3])
    var calls: [RecordedCall] = []
    let slow = number % 5 == 0 ? 20_000_000_000_000 : 40_000_000 as UInt64
    for (build, key) in [Self.program, Self.library].enumerated() {
      for guardIndex in 0..<(Self.guards[key] ?? 0)
      where Int.random(in: 0..<(1 + guardIndex % 20), using: &generator) == 0 {
        calls.append(
          RecordedCall(
            build: Int32(build), guardIndex: UInt32(guardIndex), thread: 1,
            time: UInt64(calls.count) * slow))
      }
    }
    var process = ObservedProcess(
      run: "run \(number)", process: "0", forkedFrom: nil, root: "0", host: "host \(host)",
      startedAt: Self.day.start + Double(number % 40) * 7919, seconds: 2.5,
      readyAfter: number % 3 == 0 ? Double(1 + number % 9) / 8 : nil,
      losses: Losses(drops: number % 7, uncommitted: number % 2),
      images: [
        .init(
          build: Self.program, name: "/opt/app/server", isExecutable: true, guardCount: 120),
        .init(
          build: Self.library, name: "/opt/app/libx.so", isExecutable: false, guardCount: 50),
      ], calls: calls,
      callers: calls.map { 0x4000 + UInt64($0.guardIndex) * 16 + UInt64(number % 13) })
    if number % 4 == 0 { process.stages = [.exec: 0.001 * Double(1 + number % 3), .main: 0.02] }
    // The library is watched, now and then from its start.
    let step = Int.random(in: 2...12, using: &generator)
    let gaps = step == 12 ? [] : (0..<UInt32(50)).filter { $0 % UInt32(step) != 1 }
    let isLate = Bool.random(using: &generator)
    process.images[1].unseen = UnseenFunctions(
      gaps: RangeSet(gaps.map { $0..<$0 + 1 }), lacksStart: isLate, of: 50)
    process.images[1].isWindow = isLate
    process.losses.runningProcesses = number % 3
    var run = CoverageTally()
    let counted = CountedProcess(
      process, run: &run, host: &known["\(host) \(labels.version)", default: CoverageTally()],
      labels: labels)
    let publisher = PublisherID.test(UInt64(host))
    for state in counted.states {
      let row = Row(publisher: publisher, key: state.key)
      var all = rows[row] ?? state
      if rows[row] != nil { all.add(state) }
      // Versions rise, but not by one.
      all.version = RowVersion(
        changes: all.version.changes + 1 + UInt64.random(in: 0...3, using: &generator))
      rows[row] = all
      // As it arrives: with times to the hour.
      let arrived = try all.encoded().withUnsafeBytes { try SeriesState(decoding: $0) }
      sent.append(
        PublishedStates(
          publisher: publisher, states: [arrived], samples: counted.sample.map { [$0] } ?? []))
    }
  }

  /// Each of what was sent one to three times, in any order, in messages of any size.
  mutating func shuffled() -> [PublishedStates] {
    var left = sent.flatMap {
      Array(repeating: $0, count: Int.random(in: 1...3, using: &generator))
    }
    left.shuffle(using: &generator)
    var messages: [PublishedStates] = []
    for part in left {
      if let last = messages.lastIndex(where: { $0.publisher == part.publisher }),
        Int.random(in: 0..<8, using: &generator) > 0
      {
        messages[last].states += part.states
        messages[last].samples += part.samples
      } else {
        messages.append(part)
      }
    }
    return messages
  }
}
