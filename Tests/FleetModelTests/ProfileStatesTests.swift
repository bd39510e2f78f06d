import FirstlightModel
import FleetModel
import Testing

/// What a profile's runs are in a store: each the same, whichever profile it comes in.
@Suite struct ProfileStatesTests {
  private static func build(_ id: String) -> RecordedBuild {
    RecordedBuild(
      build: Build(
        buildID: BuildID(id)!, path: "/bin/\(id)", kind: .executable, architecture: "x86_64",
        hasSymbols: true, hasDebugInfo: true, functions: [], entryGuards: [], guardCount: 4),
      runs: 1)
  }

  /// - Parameter calls: functions of one build, or of two in turn.
  private static func profile(
    _ run: String, builds: [String] = ["aa"], calls: [UInt32] = [0, 2], at start: Double = 1e9,
    processes: Int = 1, time: UInt64 = 5
  ) -> Profile {
    Profile(
      builds: builds.map(build),
      runs: [
        Run(
          id: run, command: ["a"],
          host: Host(name: "h", kernel: "", architecture: "x86_64", processor: "", cores: 1),
          startedAt: start, endedAt: start + 3, ending: .exited(0), problems: [])
      ],
      processes: (1...processes).map { number in
        RecordedProcess(
          id: "\(number)-1", run: run, pid: 1, parentPID: 0,
          forkedFrom: number == 1 ? nil : "1-1", path: "/bin/a", arguments: [], startedAt: start,
          readyAfter: nil, losses: Losses(),
          calls: calls.enumerated().map { place, index in
            RecordedCall(
              build: Int32(place % builds.count), guardIndex: index, thread: 1,
              time: time + UInt64(place))
          })
      })
  }

  /// By secret and key, as a store keeps them.
  private static func rows(_ profile: Profile) throws -> [LedgerSecret: Set<SeriesState>] {
    var rows: [LedgerSecret: Set<SeriesState>] = [:]
    for run in try profile.fleetStates(labels: FleetLabels()) {
      #expect(rows.updateValue(Set(run.states), forKey: run.secret) == nil)
    }
    return rows
  }

  @Test func aWindowsRowsSayWhatItMissedAndMergedWindowsAreRefused() throws {
    var window = Self.profile("w")
    window.runs[0].attachment = .probes
    window.builds[0].build.recorder = .breakpoints
    (window.builds[0].withoutStart, window.builds[0].unwatched) = ([1, 3], [3])
    let states = try window.fleetStates(labels: FleetLabels()).flatMap(\.states)
    // Guard 3 was not watched at all.
    let last = UInt32(window.builds[0].build.guardCount) + 3
    let missed = [1, 3, last]
    // Called functions do not matter.
    #expect(states.count == 1 && states[0].totals.windows == 1)
    #expect(missed.allSatisfy(states[0].unseen.contains) && !states[0].unseen.contains(last - 2))
    #expect(try window.fleetStates(labels: FleetLabels()).allSatisfy(\.samples.isEmpty))
    try window.merge(Self.profile("other", at: 2e9))
    #expect(throws: Failure.self) { try window.fleetStates(labels: FleetLabels()) }
  }

  /// As a host sends them: rows of their own, with the processes that were counted.
  @Test func countersAreRowsBesideThoseOfTheirBuild() throws {
    var profile = Self.profile("r", processes: 2)
    for (process, records) in [[0, 65], [1]].enumerated() {
      var counted = CountedRecords(count: 66)
      for record in records { counted.note(record) }
      profile.processes[process].counted = [BuildID("aa")!: counted]
    }
    let run = try #require(try profile.fleetStates(labels: FleetLabels()).first)
    let states = Dictionary(grouping: run.states, by: \.key.build.recorder).mapValues { $0[0] }
    #expect(run.states.count == 2)
    let counters = try #require(states[.counters])
    #expect(counters.key.guardCount == 66 && counters.totals.runs == 1)
    #expect(counters.sums.called.map(\.0) == [0, 1, 65] && counters.isExecutable)
    #expect(counters.sums.called.allSatisfy { $0.1.runs == 1 && $0.1.hosts == 0 })
    #expect(states[.guards]?.totals.programRuns == 1 && states[.guards]?.totals.processes == 2)
    #expect(run.samples.allSatisfy { $0.images.map(\.build.recorder) == [.guards] })
    // Another merge has the same rows, and one without their traces cannot be sent.
    var merged = profile
    try merged.merge(Self.profile("other", at: 2e9))
    #expect(try Self.rows(merged)[run.secret] == Set(run.states))
    merged.processes[0].leaveOutTrace()
    #expect(throws: Failure.self) { try merged.fleetStates(labels: FleetLabels()) }
  }

  @Test func aRunsRowsAreTheSumOfItsProcesses() throws {
    let runs = try Self.profile("r", builds: ["aa", "bb"], calls: [0, 1, 2], processes: 3)
      .fleetStates(labels: FleetLabels())
    let run = try #require(runs.first)
    #expect(runs.count == 1 && run.states.count == 2 && run.samples.count == 3)
    let first = try #require(run.states.first { $0.key.build.buildID == BuildID("aa")! })
    #expect(first.version == 1 && first.totals.runs == 1 && first.totals.hosts == 0)
    // Three processes of one run called the same.
    #expect(first.sums.map(\.runs) == [1, 0, 1, 0])
    let second = try #require(run.states.first { $0.key.build.buildID == BuildID("bb")! })
    #expect(second.sums.map(\.runs) == [0, 1, 0, 0])
    #expect(run.states.reduce(0) { $0 + $1.totals.processes } == 3)
  }

  @Test func aRunHasTheSameRowsInEveryMergedProfile() throws {
    let profiles = [
      Self.profile("r", builds: ["bb", "aa"], calls: [3, 1, 2, 0]), Self.profile("s"),
      Self.profile("t", calls: [1], processes: 2), Self.profile("r 2", builds: ["cc"]),
    ]
    var expected: [LedgerSecret: Set<SeriesState>] = [:]
    for profile in profiles { expected.merge(try Self.rows(profile)) { $1 } }
    #expect(expected.count == 4)
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
      var merged = Profile()
      for place in order {
        try merged.merge(profiles[place])
        try merged.merge(profiles[place])
      }
      #expect(try Self.rows(merged) == expected)
    }
  }

  @Test func runsThatDifferAreNotTakenForOneAnother() throws {
    let runs = [
      Self.profile("r"), Self.profile("s"), Self.profile("r", at: 1e9 + 1e-6),
      Self.profile("r", calls: [0, 3]), Self.profile("r", calls: [2, 0]),
      Self.profile("r", time: 6), Self.profile("r", processes: 2),
      Self.profile("r", builds: ["bb"]),
    ]
    let secrets = try runs.flatMap { try $0.fleetStates(labels: FleetLabels()).map(\.secret) }
    #expect(Set(secrets).count == runs.count)
    // No byte is the same in all.
    for place in 0..<32 { #expect(Set(secrets.map { $0.bytes[place] }).count > 1) }
  }

  @Test func batchesHaveAllRowsAndTraces() throws {
    let runs = try Self.profile("r", builds: ["aa", "bb"], processes: 4)
      .fleetStates(labels: FleetLabels())
    let batches = try runs[0].batches.map { try StateBatch($0) }
    #expect(batches.count == 1 && batches[0].secret == runs[0].secret)
    let rows = try batches[0].rows.indices.map(batches[0].row)
    #expect(rows.map(\.key) == runs[0].states.map(\.key))
    #expect(rows.map(\.totals) == runs[0].states.map(\.totals))
    #expect(batches[0].samples.count == 4)
  }
}
