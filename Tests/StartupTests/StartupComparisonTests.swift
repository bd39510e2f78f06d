import FirstlightModel
import Testing

@testable import Startup

@Suite struct StartupComparisonTests {
  private static let host = Host(
    name: "host", kernel: "Linux", architecture: "x86_64", processor: "", cores: 2)

  static func comparison(_ a: [[StartupMetric: Double]], _ b: [[StartupMetric: Double]])
    -> StartupComparison
  {
    let facts = BinaryFacts(
      path: "p", buildID: nil, kind: .executable, architecture: "x86_64", fileSize: 1 << 20,
      isPositionIndependent: true, interpreter: nil, sections: [], dynamic: .init(),
      relocations: .init(), initializers: [], guardCount: 0, functionStarts: [])
    return StartupComparison(
      a: .init(facts: facts, runs: a.map(StartupRun.init), map: nil),
      b: .init(facts: facts, runs: b.map(StartupRun.init), map: nil),
      conditions: .init(arguments: [], until: "exit", isCold: true, host: host))
  }

  @Test func aDifferenceIsOneThatTheTestFinds() {
    let a = (0..<10).map {
      [StartupMetric.time: 50 + Double($0 % 3), .majorFaults: Double($0 % 4)]
    }
    let b = (0..<10).map {
      [StartupMetric.time: 40 + Double($0 % 3), .majorFaults: Double($0 % 4)]
    }
    let result = Self.comparison(a, b)
    #expect(result.rows.map(\.metric) == [.time, .majorFaults])
    #expect(result.rows.map(\.verdict) == [.lower, .same])
    #expect(result.rows[0].change == -10.0 / 51)
    #expect(Self.comparison(b, a).rows.map(\.verdict) == [.higher, .same])
  }

  /// On a busy machine: 5 ms are there, and the runs cannot show them.
  @Test func timesThatVaryMoreThanTheyDifferAreNotResolved() throws {
    func runs(_ shift: Double, spread: Double, count: Int) -> [[StartupMetric: Double]] {
      (0..<count).map { run in
        [.time: 60 + shift + spread * Double(run * 7 % count) / Double(count), .rss: Double(run)]
      }
    }
    let busy = Self.comparison(
      runs(0, spread: 40, count: 20), runs(5, spread: 40, count: 20))
    #expect(busy.rows.map(\.verdict) == [.unresolved, .same] && busy.lateness == nil)
    let shift = try #require(busy.rows[0].shift)
    #expect(shift.contains(5) && shift.upperBound > 0.05 * 60)
    let quiet = Self.comparison(runs(0, spread: 2, count: 20), runs(0, spread: 2, count: 20))
    #expect(quiet.rows.map(\.verdict) == [.same, .same])
    #expect(
      Self.comparison(runs(0, spread: 2, count: 20), runs(5, spread: 2, count: 20)).rows[0].verdict
        == .higher)
    // Too few to exclude anything.
    let few = Self.comparison(runs(0, spread: 2, count: 3), runs(0, spread: 2, count: 3))
    #expect(few.rows[0].verdict == .unresolved && few.rows[0].shift == nil)
  }

  @Test func coldStartsThatReadDifferentSharesOfTheirFilesAreNotCompared() {
    func runs(found: Double, time: Double) -> [[StartupMetric: Double]] {
      (0..<10).map {
        [.time: time + Double($0 % 3), .rss: time, .rssFile: 4000, .foundPages: found]
      }
    }
    // Of 1,000 pages 900 and 20 are in memory before.
    let uneven = Self.comparison(runs(found: 900, time: 10), runs(found: 20, time: 30))
    #expect(uneven.evenness?.isEven == false)
    #expect(uneven.rows.first { $0.metric == .time }?.verdict == .uneven)
    #expect(uneven.rows.first { $0.metric == .rss }?.verdict == .higher)
    let even = Self.comparison(runs(found: 900, time: 10), runs(found: 860, time: 30))
    #expect(even.evenness?.isEven == true)
    #expect(even.rows.first { $0.metric == .time }?.verdict == .higher)
    // Warm starts have all in memory.
    #expect(Self.comparison([[.time: 1]], [[.time: 2]]).evenness == nil)
  }

  /// What other processes leave in memory now and then is not one program's advantage.
  @Test func aDifferenceByChanceIsEven() {
    func runs(_ found: [Double]) -> [[StartupMetric: Double]] {
      found.map { [.rssFile: 4000, .foundPages: $0] }
    }
    let evenness = Self.comparison(runs([400, 90, 420, 80, 410]), runs([100, 390, 70, 430, 60]))
      .evenness
    #expect(evenness?.foundByA == 400 && evenness?.foundByB == 100)
    #expect(evenness?.isEven == true)
    // Once in thirty by chance: too often to take away all times.
    let rare = Self.comparison(runs([400, 390, 410, 420, 100]), runs([100, 90, 80, 70, 390]))
    #expect(rare.evenness?.isEven == true)
    let never = Self.comparison(runs([400, 390, 410, 420, 430]), runs([100, 90, 80, 70, 60]))
    #expect(never.evenness?.isEven == false)
  }

  @Test func metricsOfOneSideAreNotCompared() {
    let result = Self.comparison(
      [[.time: 1, .rss: 5, .rssShared: 0]], [[.rss: 6, .rssShared: 0]])
    #expect(result.rows.map(\.metric) == [.rss])
    #expect(result.rows[0].verdict == .same)
  }

  @Test func aChangeFromNothingHasNoShare() {
    #expect(Self.comparison([[.majorFaults: 0]], [[.majorFaults: 3]]).rows[0].change == nil)
  }
}
