import FirstlightModel
import FleetModel
import FleetTestSupport
import Foundation
import SQLiteFleetStore
import TestSupport
import Testing

@testable import Collector

/// A fleet that is a store; daemons are asked in Tests/IntegrationTests/Fleet.
@Suite struct FleetSourceTests {
  private let directory: TemporaryDirectory
  private var address: String { "sqlite:\(directory.path("fleet.sqlite"))" }

  init() throws { directory = try TemporaryDirectory() }

  /// A store with a trace of each of these builds.
  private func fill(
    _ builds: [(id: String, recorder: Recorder)], on day: FleetDay = FleetDay(number: 20_000)
  ) async throws -> SQLiteFleetStore {
    let store = try SQLiteFleetStore(path: directory.path("fleet.sqlite"))
    try await store.prepare()
    let traces = builds.enumerated().map { number, build in
      let key = BuildKey(buildID: BuildID(build.id)!, recorder: build.recorder)
      let process = ObservedProcess(
        run: "\(number)", process: "0", forkedFrom: nil, root: "0", host: "host",
        startedAt: day.start + 100, seconds: 1, readyAfter: 0.25, losses: Losses(),
        images: [.init(build: key, name: "/opt/server", isExecutable: true, guardCount: 8)],
        calls: [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 5)], callers: [])
      return CountedProcess(process)
    }
    _ = try await store.take(.counting(traces), on: day)
    return store
  }

  private static func query(
    _ buildID: String? = nil, program: String? = nil, since: FleetDay? = nil
  ) -> FleetQuery {
    FleetQuery(
      buildID: buildID, program: program, days: since.map { $0...FleetDay(number: .max) })
  }

  @Test(arguments: [false, true])
  func aStoreThatIsNotThereIsNotMade(writes: Bool) {
    let failure = #expect(throws: Failure.self) { try FleetSource(address, writes: writes) }
    #expect(failure?.kind == .noInput)
    #expect(failure?.problem.hasPrefix(directory.path("fleet.sqlite")) == true)
    #expect(directory.entries.isEmpty)
  }

  @Test(arguments: ["fleet.sqlite", "ftp://collector.example", "", "clickhouse:"])
  func anAddressOfNothingIsAnErrorOfUsage(address: String) {
    let failure = #expect(throws: Failure.self) { try FleetSource(address) }
    #expect(failure?.kind == .usage)
  }

  @Test(arguments: ["http://127.0.0.1:1/", "https://collector.example:8443"])
  func aURLIsThatOfADaemon(address: String) throws {
    guard case .daemon(let client) = try FleetSource(address) else {
      Issue.record("a store")
      return
    }
    #expect(client.url + (address.hasSuffix("/") ? "/" : "") == address)
  }

  @Test func aBuildIsFoundByTheFirstDigitsOfItsID() async throws {
    _ = try await fill([
      ("aa11", .guards), ("aa11", .breakpoints), ("aa22", .guards), ("aa33", .guards),
      ("bb", .guards),
    ])
    let source = try FleetSource(address)
    #expect(try await source.builds(beginning: "aa").count == 4)
    #expect(
      try await source.builds(beginning: "aa1").map(\.recorder).sorted() == [
        "breakpoints", "guards",
      ])
    #expect(try await source.builds(beginning: "c").isEmpty)
    #expect(try await source.builds(Self.query("aa")).builds.count == 4)
    let failure = await #expect(throws: Failure.self) {
      try await source.builds(Self.query(program: "client"))
    }
    #expect(failure?.kind == .noInput)
  }

  @Test func forgettingTakesTheBuildOfOneRecorder() async throws {
    let store = try await fill([("aa11", .guards), ("aa11", .breakpoints)])
    let source = try FleetSource(address, writes: true)
    let build = try #require(
      try await source.builds(beginning: "aa11").first { $0.recorder == "breakpoints" })
    try await source.forget(build)
    #expect(
      try await store.builds(FleetQuery(), page: Page()).map(\.key) == [
        BuildKey(buildID: BuildID("aa11")!)
      ])
  }

  @Test func readingCannotForget() async throws {
    _ = try await fill([("aa", .guards)])
    let source = try FleetSource(address)
    let build = try #require(try await source.builds(beginning: "aa").first)
    await #expect(throws: Failure.self) { try await source.forget(build) }
    #expect(try await source.builds(beginning: "aa").count == 1)
  }

  @Test func aProfileIsOfWhatWasChosen() async throws {
    _ = try await fill([("aa", .guards), ("bb", .guards)])
    let source = try FleetSource(address)
    let profile = try await source.profile(of: Self.query("b"))
    #expect(profile.builds.map(\.build.buildID) == [BuildID("bb")!])
    #expect(profile.builds[0].coverage.map(\.runs) == [0, 1, 0, 0, 0, 0, 0, 0])
    let failure = await #expect(throws: Failure.self) {
      try await source.profile(of: Self.query("cc"))
    }
    #expect(failure?.kind == .noInput)
    #expect(failure?.advice == "the builds are server (aa), server (bb)")
  }

  @Test func startupsAreThoseSinceADay() async throws {
    _ = try await fill([("aa", .guards)])
    let source = try FleetSource(address)
    let day = FleetDay(number: 20_000)
    let row = try #require(
      try await source.startups(Self.query(since: day)).startups.first)
    #expect(row.starts == 1 && row.firstDay == "\(day)")
    // A histogram's buckets are 5% wide.
    #expect(abs(row.p50 - 0.25) < 0.25 * 0.026)
    let later = FleetDay(number: 20_001)
    #expect(try await source.startups(Self.query(since: later)).startups.isEmpty)
  }

  @Test func evidenceIsMissingOfDaysThatWereDroppedAlone() async throws {
    let store = try await fill([("aa", .guards), ("bb", .guards)])
    let cutoff = FleetDay(number: 20_001)
    try await store.drop([Deletion(.days(before: cutoff), reason: "retain-days=9")]) { _, _ in }
    let source = try FleetSource(address)
    func missing(_ since: FleetDay?) async throws -> [String] {
      try await source.missingEvidence(of: Self.query("a", since: since))
    }
    let sentence = "server (aa): before \(cutoff) dropped by retain-days=9"
    #expect(try await missing(nil) == [sentence])
    #expect(try await missing(FleetDay(number: 20_000)) == [sentence])
    #expect(try await missing(cutoff).isEmpty)
    // The same as in the profile that is made of it.
    let query = Self.query("a", since: cutoff)
    let builds = try await store.builds(query, page: Page())
    #expect(query.missingEvidence(of: builds).isEmpty)
  }
}
