import FirstlightModel
import FleetModel
import Testing

@Suite struct BatchSumsTests {
  private static let key = BuildKey(buildID: BuildID("aabbcc")!)
  private static let guardCount = 300

  private static func process(
    _ number: Int, calls: [RecordedCall], from start: Double = 1_790_000_000
  ) -> ObservedProcess {
    ObservedProcess(
      run: "run \(number)", process: "\(number)", forkedFrom: nil, root: "\(number)", host: "h",
      startedAt: start + Double(number * 7919 % 5000), seconds: 1, readyAfter: nil,
      losses: Losses(),
      images: [
        ObservedProcess.Image(
          build: key, name: "server", isExecutable: true, guardCount: guardCount)
      ], calls: calls, callers: calls.map { UInt64($0.guardIndex) + 0x1000 })
  }

  private static func calls(_ guards: some Sequence<UInt32>) -> [RecordedCall] {
    guards.enumerated().map { place, index in
      RecordedCall(build: 0, guardIndex: index, thread: 1, time: UInt64(place) * 1000)
    }
  }

  private static func randomTraces() -> [FleetTrace] {
    var host = CoverageTally()
    return (0..<200).map { number in
      // From a few, which travel as a list, to nearly all, which travel as bits.
      let share = Double.random(in: 0...1)
      let guards = (0..<UInt32(guardCount)).shuffled().filter { _ in
        Double.random(in: 0...1) < share
      }
      var run = CoverageTally()
      return FleetTrace(
        counting: process(number, calls: calls(guards)), run: &run, host: &host,
        labels: FleetLabels())
    }
  }

  @Test func setsAndListsAddUpLikeCallsOneByOne() throws {
    let traces = Self.randomTraces()
    var expected = Array(repeating: GuardSum(), count: Self.guardCount)
    var forms: Set<Bool> = []
    for trace in traces {
      for image in trace.images {
        for seen in image.seen {
          if case .bits = seen.guards { forms.insert(true) } else { forms.insert(false) }
          for index in seen.guards { expected[Int(index)].see(at: seen.time) }
        }
        for first in image.newOnHost { expected[Int(first.guardIndex)].hosts += 1 }
      }
    }
    #expect(forms.count == 2)
    let day = FleetDay(of: traces[0].startedAt)
    let series = SeriesKey(build: Self.key, day: day, labels: FleetLabels())
    for order in [traces, traces.shuffled()] {
      let sums = BatchSums(order)
      #expect(sums.series.keys.sorted { $0.day < $1.day } == [series])
      let added = try #require(sums.series[series])
      #expect(added.guards == expected.indices.filter { expected[$0].isCalled }.map(UInt32.init))
      #expect(added.sums == expected.filter(\.isCalled))
    }
  }

  @Test func bitSetsSurviveTheRoundTrip() throws {
    let traces = Self.randomTraces()
    let bytes = FleetBatch.encode(traces)
    #expect(try bytes.withUnsafeBytes { try FleetBatch.decode($0) } == traces)
  }

  @Test func aProcessOfWhichOnlySetsAreKnownCountsTheSame() {
    var host = CoverageTally()
    var run = CoverageTally()
    let labels = FleetLabels()
    let first = Self.process(0, calls: Self.calls(0..<200))
    #expect(first.needsCalls(host: host, sampleLimit: 0))
    _ = FleetTrace(counting: first, run: &run, host: &host, labels: labels)
    let whole = Self.process(1, calls: Self.calls([7, 190, 3, 64, 65]))
    #expect(whole.needsCalls(host: host, sampleLimit: .max))
    #expect(!whole.needsCalls(host: host, sampleLimit: 0))
    // What is new on the host has to be told with its caller.
    #expect(Self.process(2, calls: Self.calls([200])).needsCalls(host: host, sampleLimit: 0))
    // An hour's calls are told apart from the next one's.
    var late = Self.calls([1, 2])
    late[1].time = 7200 * 1_000_000_000
    #expect(Self.process(3, calls: late).needsCalls(host: host, sampleLimit: 0))

    var sets = whole
    sets.calls = nil
    sets.callers = []
    var (runs, hosts) = ([CoverageTally(), CoverageTally()], [host, host])
    let traces = [whole, sets].enumerated().map { place, process in
      FleetTrace(
        counting: process, run: &runs[place], host: &hosts[place], labels: labels, sampleLimit: 0)
    }
    #expect(traces[0] == traces[1])
    #expect(traces[0].images[0].seen.map { Array($0.guards) } == [[3, 7, 64, 65, 190]])
    #expect(runs[0] == runs[1] && hosts[0] == hosts[1])
  }
}
