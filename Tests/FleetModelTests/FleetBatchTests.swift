import FirstlightModel
import Foundation
import Testing

@testable import FleetModel

@Suite struct FleetBatchTests {
  @Test func batchesSurviveTheRoundTrip() throws {
    let traces = [Self.trace(1), Self.trace(2)]
    let bytes = FleetBatch.encode(traces)
    #expect(try decode(bytes) == traces)
    #expect(try decode(FleetBatch.encode([])) == [])
  }

  @Test func stagesTravelAndOldTracesHaveNone() throws {
    var trace = Self.trace(1)
    let before = FleetBatch.encode([trace])
    trace.stages = [.exec: 0.000_25, .mapping: 0.000_18, .main: 1.5]
    let bytes = FleetBatch.encode([trace, Self.trace(2)])
    #expect(try decode(bytes) == [trace, Self.trace(2)])
    // What was written before there were stages is what a trace without them is now: behind the length of
    // the trace, and without an end.
    #expect(FleetBatch.encode([trace]).dropFirst(8).starts(with: before.dropFirst(8)))
    #expect(try decode(before)[0].stages == [:])
  }

  @Test func noNameOfAFunctionOrSourceTravels() {
    let bytes = FleetBatch.encode([Self.trace(1)])
    // The largest text of all is the image's name.
    #expect(bytes.count < 600)
  }

  @Test func imagesTravelWithoutTheirPaths() {
    var trace = Self.trace(1)
    trace.images[0].name = "/opt/app/server"
    trace.images[1].name = "/usr/lib/libx.so"
    #expect(trace.withoutPaths() == Self.trace(1))
  }

  @Test func aCutOffBatchIsRefusedAtEveryLength() {
    let bytes = FleetBatch.encode([Self.trace(1)])
    for length in 0..<bytes.count {
      #expect(throws: Failure.self) { try decode(Array(bytes[..<length])) }
    }
  }

  @Test func damageNeverEndsTheReader() {
    let whole = FleetBatch.encode([Self.trace(1), Self.trace(2)])
    var generator = SystemRandomNumberGenerator()
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 4..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      do throws(Failure) { _ = try decode(bytes) } catch { refused += 1 }
    }
    #expect(refused > 0)
  }

  @Test func aCountBeyondTheBytesIsRefusedAtOnce() throws {
    // 2^40 traces.
    let bytes = Array("FLB1".utf8) + [0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 0, 0, 0, 0, 0, 0, 0]
    let failure = try #require(throws: Failure.self) { try decode(bytes) }
    #expect(failure.kind == .data)
  }

  /// Made by a firstlightd that knew no sets.
  @Test func anEarlierFormatIsStillRead() throws {
    let bytes = try Data(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/batches/two-processes"))
    #expect(bytes.prefix(4).elementsEqual("FLB1".utf8))
    let traces = try decode(Array(bytes))
    #expect(traces.count == 2)
    #expect(try decode(FleetBatch.encode(traces)) == traces)
  }

  @Test func guardsBeyondTheLastAreRefused() throws {
    for (guardCount, word) in [(70, UInt64(1) << 6), (64, 1), (0, 1)] {
      var trace = Self.trace(1)
      trace.calls = nil
      trace.images[0].guardCount = guardCount
      trace.images[0].newOnHost = []
      let words = Array(repeating: 0, count: guardCount / 64) + [word]
      trace.images[0].seen = [SeenGuards(time: 1, guards: .bits(GuardSet(words: words)))]
      let bytes = FleetBatch.encode([trace])
      #expect(throws: Failure.self) { try decode(bytes) }
    }
  }

  private func decode(_ bytes: [UInt8]) throws(Failure) -> [FleetTrace] {
    var result: Result<[FleetTrace], Failure> = .success([])
    bytes.withUnsafeBytes { bytes in
      result = Result { () throws(Failure) in try FleetBatch.decode(bytes) }
    }
    return try result.get()
  }

  static func trace(_ number: UInt64) -> FleetTrace {
    FleetTrace(
      id: TraceID(high: number, low: 7), run: "run", process: "1-2-3", forkedFrom: "0-0-0",
      family: .max - number, host: "h",
      labels: try! FleetLabels(["version": "1.2", "tier": "web"]),
      startedAt: 1_790_000_000.25, seconds: 2.5, readyAfter: 0.125, countsRun: true,
      losses: Losses(drops: 1, uncommitted: 2, lostImages: 3, unreadableSegments: 4),
      images: [
        FleetImage(
          build: BuildKey(buildID: BuildID("aabbcc")!), name: "server", isExecutable: true,
          guardCount: 100_000, countsRun: true, countsHost: false,
          seen: [
            SeenGuards(time: 1_790_000_001, guards: [0, 1, 99_999]),
            SeenGuards(time: 1_790_009_001, guards: [70]),
            SeenGuards(
              time: 1_790_019_001, guards: .bits(GuardSet(words: [1 << 63 | 5, 0, .max]))),
          ], newOnHost: [HostFirst(guardIndex: 1, caller: 0x1234_5678)]),
        FleetImage(
          build: BuildKey(buildID: BuildID("file-00ff")!, recorder: .breakpoints), name: "libx.so",
          isExecutable: false, guardCount: 0, countsRun: false, countsHost: true, seen: [],
          newOnHost: []),
      ], program: 0, callCount: 4,
      calls: [
        RecordedCall(build: 0, guardIndex: 99_999, thread: 4, time: 10),
        RecordedCall(build: 0, guardIndex: 0, thread: 5, time: 10),
        RecordedCall(build: 0, guardIndex: 1, thread: 4, time: 1 << 40),
        RecordedCall(build: 0, guardIndex: 70, thread: 4, time: 1 << 41),
      ])
  }
}
