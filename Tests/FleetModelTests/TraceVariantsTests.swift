import FirstlightModel
import FleetModel
import TestSupport
import Testing

/// Traces that say different things of one build.
@Suite struct TraceVariantsTests {
  private static let a = BuildKey(buildID: BuildID("aa")!)
  private static let b = BuildKey(buildID: BuildID("bb")!)

  private static func trace(
    _ run: String, of builds: [(key: BuildKey, guards: Int)] = [(a, 300)]
  ) -> FleetTrace {
    let process = ObservedProcess(
      run: run, process: "0", forkedFrom: nil, root: "0", host: "host", startedAt: 1_790_000_000,
      seconds: 1, readyAfter: nil, losses: Losses(),
      images: builds.map { build in
        ObservedProcess.Image(
          build: build.key, name: "/opt/app/\(build.key.buildID)", isExecutable: true,
          guardCount: build.guards)
      }, calls: [], callers: [])
    var (tally, host) = (CoverageTally(), CoverageTally())
    return FleetTrace(counting: process, run: &tally, host: &host, labels: FleetLabels())
  }

  @Test func aTraceThatContradictsItselfSaysWhere() {
    #expect(TraceVariants.contradiction(in: Self.trace("1")) == nil)
    let twice = Self.trace("2", of: [(Self.a, 300), (Self.b, 70), (Self.b, 70)])
    #expect(TraceVariants.contradiction(in: twice) == nil)
    let mixed = Self.trace("3", of: [(Self.a, 300), (Self.b, 70), (Self.b, 71)])
    #expect(
      TraceVariants.contradiction(in: mixed)
        == "/opt/app/bb (build id bb) has 71 guards in this trace, and 70")
    #expect(TraceVariants.contradiction(in: Self.trace("4", of: [])) == "loaded no image")
  }

  @Test func tracesThatAgreeStayTogether() {
    var variants = TraceVariants()
    variants.add(Self.trace("1", of: [(Self.a, 300)]))
    variants.add(Self.trace("2", of: [(Self.b, 70)]))
    variants.add(Self.trace("3", of: [(Self.a, 299), (Self.b, 70)]))
    variants.add(Self.trace("4", of: [(Self.a, 300), (Self.b, 70)]))
    variants.add(Self.trace("5", of: [(Self.a, 299)]))
    #expect(variants.groups.map { $0.traces.map(\.run) } == [["1", "2", "4"], ["3", "5"]])
    #expect(
      variants.groups.map(\.guards) == [[Self.a: 300, Self.b: 70], [Self.a: 299, Self.b: 70]])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func eachTraceIsInOneGroupThatAgreesWithIt(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let keys = (0..<6).map { BuildKey(buildID: BuildID("a\($0)")!) }
    let traces = (0..<100).map { number in
      let loaded = keys.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator))
      return Self.trace(
        "\(number)",
        of: loaded.map { ($0, Int.random(in: 300...302, using: &generator)) })
    }
    var variants = TraceVariants()
    for trace in traces { variants.add(trace) }
    let runs = variants.groups.flatMap { $0.traces.map(\.run) }
    #expect(runs.count == 100 && Set(runs).count == 100)
    for group in variants.groups {
      var said: [BuildKey: Int] = [:]
      for image in group.traces.flatMap(\.images) {
        #expect(said[image.build, default: image.guardCount] == image.guardCount)
        said[image.build] = image.guardCount
      }
      #expect(said == group.guards)
    }
  }
}
