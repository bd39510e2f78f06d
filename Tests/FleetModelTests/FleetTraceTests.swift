import FirstlightModel
import TestSupport
import Testing

@testable import FleetModel

/// Sampled traces as bytes.
@Suite struct FleetTraceTests {
  @Test func tracesSurviveTheRoundTrip() throws {
    for trace in [Self.trace(1), Self.trace(2)] {
      #expect(try decode(StateBatch.encode(sample: trace)) == trace)
    }
  }

  /// What a trace is and where it stands in the sample follows from its run and processes, whatever its sender wants.
  @Test func aTracesPlaceInTheSampleIsNotTheSendersChoice() throws {
    var trace = Self.trace(1)
    trace.root = "1-2-3"
    let sent = try decode(StateBatch.encode(sample: trace))
    #expect(sent.id == TraceID(run: "run 1", process: "1-2-3"))
    #expect(sent.family == FamilyHash.of(run: "run 1", root: "1-2-3"))
    trace.root = "another"
    #expect(try decode(StateBatch.encode(sample: trace)).family != sent.family)
  }

  /// Sixteen million threads of a byte each, in a trace of one call.
  @Test func threadsTakeNoMoreMemoryThanCalls() {
    var trace = Self.trace(1)
    (trace.images, trace.calls) = ([trace.images[0]], [])
    let bytes = StateBatch.encode(sample: trace)
    // Two empty lists end the trace: threads and calls.
    #expect(bytes.suffix(2) == [0, 0])
    let many = [0x80, 0x80, 0x80, 0x08] + [UInt8](repeating: 1, count: 1 << 24)
    let failure = #expect(throws: Failure.self) { try decode(bytes.dropLast(2) + many + [0]) }
    #expect(failure?.problem.contains("16777216 threads in one trace") == true)
  }

  @Test func noNameOfAFunctionOrSourceTravels() {
    // The largest text of all is the image's name.
    #expect(StateBatch.encode(sample: Self.trace(1)).count < 600)
  }

  @Test func imagesTravelWithoutTheirPaths() {
    var trace = Self.trace(1)
    trace.images[0].name = "/opt/app/server"
    trace.images[1].name = "/usr/lib/libx.so"
    #expect(trace.withoutPaths() == Self.trace(1))
  }

  @Test func aCutOffTraceIsRefusedAtEveryLength() {
    let bytes = StateBatch.encode(sample: Self.trace(1))
    for length in 0..<bytes.count {
      #expect(throws: Failure.self) { try decode(Array(bytes[..<length])) }
    }
    #expect(throws: Failure.self) { try decode(bytes + [0]) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func damageNeverEndsTheReader(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let whole = StateBatch.encode(sample: Self.trace(1))
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      guard let trace = try? decode(bytes) else { continue }
      #expect(trace.calls.allSatisfy { $0.guardIndex < trace.images[Int($0.build)].guardCount })
    }
  }

  @Test func aTraceThatContradictsItselfIsRefused() throws {
    var trace = Self.trace(1)
    #expect(trace.contradiction == nil)
    trace.images[1] = trace.images[0]
    #expect(trace.contradiction == nil)
    trace.images[1].guardCount = 71
    #expect(
      trace.contradiction == "server (build id aabbcc) has 71 guards in this trace, and 100000")
    #expect(throws: Failure.self) { try decode(StateBatch.encode(sample: trace)) }
    trace.images = []
    #expect(trace.contradiction == "loaded no image")
  }

  private func decode(_ bytes: [UInt8]) throws(Failure) -> FleetTrace {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try StateBatch.sample(bytes) }
    }.get()
  }

  static func trace(_ number: UInt64) -> FleetTrace {
    FleetTrace(
      run: "run \(number)", process: "1-2-3", forkedFrom: "0-0-0", root: "0-0-0", host: "h",
      labels: try! FleetLabels(["version": "1.2", "tier": "web"]),
      startedAt: 1_790_000_000.25, seconds: 2.5, readyAfter: 0.125,
      losses: Losses(drops: 1, uncommitted: 2, lostImages: 3, unreadableSegments: 4),
      images: [
        FleetImage(
          build: BuildKey(buildID: BuildID("aabbcc")!), name: "server", isExecutable: true,
          guardCount: 100_000),
        FleetImage(
          build: BuildKey(buildID: BuildID("file-00ff")!, recorder: .breakpoints), name: "libx.so",
          isExecutable: false, guardCount: 0),
      ], program: 0,
      calls: [
        RecordedCall(build: 0, guardIndex: 99_999, thread: 4, time: 10),
        RecordedCall(build: 0, guardIndex: 0, thread: 5, time: 10),
        RecordedCall(build: 0, guardIndex: 1, thread: 4, time: 1 << 40),
        RecordedCall(build: 0, guardIndex: 70, thread: 4, time: 1 << 41),
      ])
  }
}
