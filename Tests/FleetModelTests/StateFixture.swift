import FirstlightModel
import FleetModel
import TestSupport

/// Made-up rows, the same for the same generator.
enum StateFixture {
  static let secret = LedgerSecret(UInt8(0)..<32)!

  /// Like those of hosts, or at the limits of what a row may say.
  static func state(
    _ random: inout SplitMix64, guardCount: Int = 300, most: Int = 1 << 42
  ) -> SeriesState {
    var state = SeriesState(
      key: key(&random, guardCount: guardCount),
      version: RowVersion(rawValue: [1, 2, 1 << 40, .max].randomElement(using: &random)!),
      name: ["server", "/opt/app/bin/sërver", ""].randomElement(using: &random)!,
      isExecutable: .random(using: &random))
    func count() -> Int { [0, 1, 2, 300, most].randomElement(using: &random)! }
    for name in ["/tmp/copy", "other"] where Bool.random(using: &random) {
      state.names.add(name, runs: count())
    }
    state.totals.runs = count()
    state.totals.hosts = count()
    state.totals.programRuns = count()
    state.totals.processes = count()
    state.totals.drops = count()
    state.totals.uncommitted = count()
    state.totals.lostImages = count()
    state.totals.unreadableSegments = count()
    state.totals.seconds = [0, 0.1, 2.5e9].randomElement(using: &random)!
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      state.startups.counts[.random(in: 0...1000, using: &random)] = count()
    }
    for kind in LaunchStage.Kind.allCases where Bool.random(using: &random) {
      state.stages.histograms[kind] = StartupHistogram(counts: [
        .random(in: 0...1000, using: &random): count()
      ])
    }
    state.sums = sums(&random, guardCount: guardCount, on: state.key.day, most: most)
    for (guardIndex, _) in state.sums.called.prefix(Int.random(in: 0...9, using: &random)) {
      state.callers[guardIndex] = [1, 0x4000, .max].randomElement(using: &random)
    }
    return state
  }

  /// Of a few functions or of nearly all.
  static func sums(
    _ random: inout SplitMix64, guardCount: Int, on day: FleetDay = FleetDay(number: 20_000),
    most: Int = 1000
  ) -> GuardSums {
    var sums: [UInt32: GuardSum] = [:]
    for _ in 0..<[0, 1, 10, 300].randomElement(using: &random)! {
      let hours = [Int.random(in: 0..<24, using: &random), .random(in: 0..<24, using: &random)]
      sums[.random(in: 0..<UInt32(guardCount), using: &random)] = GuardSum(
        runs: [1, 7, most].randomElement(using: &random)!,
        hosts: [0, 1, most].randomElement(using: &random)!,
        firstSeen: day.start + Double(hours.min()!) * 3600,
        lastSeen: day.start + Double(hours.max()!) * 3600)
    }
    return GuardSums(guardCount: guardCount, sums)
  }

  static func key(_ random: inout SplitMix64, guardCount: Int = 300) -> StateKey {
    let labels: [[TextBytes: String]] = [
      [:], ["version": "1.2"], ["version": "1.3", "region": "eu", "tier": "web"],
    ]
    return StateKey(
      series: SeriesKey(
        build: BuildKey(
          buildID: BuildID(["aa", "bbcc", "file-00ff"].randomElement(using: &random)!)!,
          recorder: Recorder.allCases.randomElement(using: &random)!),
        day: FleetDay(number: [0, 20_000, 9_999_999].randomElement(using: &random)!),
        labels: try! FleetLabels(labels.randomElement(using: &random)!)),
      guardCount: guardCount)
  }
}
