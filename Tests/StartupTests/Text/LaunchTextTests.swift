import FirstlightModel
import SystemSupport
import Testing

@testable import Startup

/// A report on a start-up, as text.
@Suite struct LaunchTextTests {
  /// - Parameters:
  ///   - starts: nanoseconds of the untraced starts.
  ///   - stages: nanoseconds of exec, initializers and main in the traced starts.
  private func text(
    starts: [UInt64], stages: [[UInt64]], tracing: UInt64 = 0, majorFaults: UInt64 = 0,
    initializers: [(name: String, duration: UInt64)] = [], showsAll: Bool = false,
    width: Int = 100
  ) -> [Substring] {
    let kinds: [LaunchStage.Kind] = [.exec, .initializers, .main]
    let records = stages.map { durations in
      LaunchRecord(
        stages: zip(kinds, durations).map {
          LaunchStage(
            kind: $0, start: 0, duration: $1, minorFaults: 1, majorFaults: majorFaults)
        },
        initializers: initializers.map {
          InitializerRun(
            image: "/bin/app", name: $0.name, address: UInt64($0.duration), thread: 1, start: 0,
            duration: $0.duration, minorFaults: 0, majorFaults: majorFaults)
        })
    }
    let report = StartupReport(
      command: ["app"],
      conditions: .init(
        arguments: [], until: "exit", isCold: false,
        host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 1)),
      source: "", plain: starts.map { .init(duration: $0, minorFaults: 1, majorFaults: 0) },
      watched: records.map { .init(record: $0, tracing: tracing, stops: 4) }, detailed: records)
    return report.document(showsAll: showsAll).text(TextStyle(width: width))
      .split(separator: "\n")
  }

  private func words(_ start: String, of text: [Substring]) throws -> [Substring] {
    try #require(text.first { $0.hasPrefix(start) }).dropFirst(start.count)
      .split(whereSeparator: \.isWhitespace)
  }

  private let quiet = [UInt64](repeating: 600_000, count: 5)

  /// Each start has noise in another stage, so that the median of their sums is that of no start.
  @Test func theRowsAddUp() throws {
    let text = text(
      starts: quiet,
      stages: [
        [900_000, 200_000, 300_000], [100_000, 900_000, 300_000], [100_000, 200_000, 900_000],
      ],
      tracing: 40_000)
    #expect(try words("exec ", of: text).first == "100")
    #expect(try words("all stages ", of: text) == ["600"])
    #expect(
      try words("tracing ", of: text).joined(separator: " ")
        == "40 cost of 4 stops, not in the stages")
    #expect(text.contains("The stages add up to 100.0% of the time of untraced starts."))
  }

  @Test func startsThatDifferTooMuchAreCalledNoisy() {
    let stages: [[UInt64]] = [[100_000, 200_000, 300_000]]
    let noisy = text(starts: [600_000, 700_000, 1_500_000, 2_000_000, 4_000_000], stages: stages)
    #expect(noisy.contains { $0.hasPrefix("Too noisy: ") })
    #expect(!text(starts: quiet, stages: stages).contains { $0.hasPrefix("Too noisy: ") })
    // Three starts do not show how much they differ.
    let few = text(starts: [600_000, 700_000, 4_000_000], stages: stages)
    #expect(!few.contains { $0.hasPrefix("Too noisy: ") })
  }

  /// Its prefetch takes time so that the rest of the start takes less.
  @Test func firstlightsOwnInitializersAreNotTheWorst() throws {
    let initializers: [(name: String, duration: UInt64)] = [
      ("firstlight_prefetch", 500_000), ("sancov.module_ctor_trace_pc_guard", 400_000),
      ("frame_dummy", 300_000), ("set_up", 200_000),
    ]
    let stages: [[UInt64]] = [[100_000, 2_000_000, 100_000]]
    let text = text(starts: quiet, stages: stages, initializers: initializers)
    let head = try #require(text.firstIndex { $0.hasPrefix("Initializers, worst first (4") })
    #expect(text[head + 2].hasSuffix(" set_up"))
    #expect(text[head + 3].hasPrefix("  3 others: "))
    #expect(text.last?.contains("most in set_up of app") == true)
    let all = self.text(starts: quiet, stages: stages, initializers: initializers, showsAll: true)
    #expect(all.contains { $0.hasSuffix(" firstlight_prefetch") })
  }

  /// A fault more or less in a start adds no column.
  @Test func theColumnsAreTheSameEachTime() throws {
    let heads = [UInt64(0), 3].map { faults in
      let text = text(
        starts: quiet, stages: [[100_000, 200_000, 300_000]], majorFaults: faults,
        initializers: [("set_up", 100_000)], width: 160)
      return text.filter { $0.contains("major faults") }.map {
        $0.split(separator: "  ", omittingEmptySubsequences: true)
      }
    }
    #expect(heads[0] == heads[1] && heads[0].count == 2)
  }
}
