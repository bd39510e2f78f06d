import FirstlightModel
import FleetModel
import FleetTestSupport
import Testing

/// What every store remembers of files that could not be read.
@Suite(.serialized) struct ReadFailureTests {
  @Test(arguments: StoreKind.available)
  func aFailureIsRememberedUntilTheBuildIsNamed(kind: StoreKind) async throws {
    let store = try await kind.make()
    let table = FunctionTable(build: ExampleFleet.program, bodies: [])
    let (build, other) = (table.key, BuildKey(buildID: BuildID("bbbb")!))
    for key in [build, other] {
      _ = try await store.take([trace(of: key)], on: FleetDay(number: 20_720))
    }
    #expect(try await store.readFailure(ofFile: "1:2") == nil)
    let first = ReadFailure(file: "1:2", reason: "it's \\ too large", attempts: 1, at: 1000.5)
    try await store.note(first, of: build)
    #expect(try await store.readFailure(ofFile: "1:2") == first)
    #expect(try await store.readFailure(ofFile: "1:3") == nil)

    var second = first
    (second.attempts, second.at, second.reason) = (2, 2000, "the reader crashed")
    try await store.note(second, of: build)
    #expect(try await store.readFailure(ofFile: "1:2") == second)
    try await store.note(
      ReadFailure(file: "9:9", reason: "older", attempts: 3, at: 1500), of: build)
    func shown() async throws -> [String: String?] {
      let builds = try await store.builds(FleetQuery(), page: Page())
      return Dictionary(
        uniqueKeysWithValues: builds.map { ($0.key.buildID.description, $0.readFailure?.reason) })
    }
    // The last one of each build.
    #expect(try await shown() == [build.buildID.description: "the reader crashed", "bbbb": nil])

    try await store.register(table)
    #expect(try await shown() == [build.buildID.description: nil, "bbbb": nil])
  }

  @Test(arguments: StoreKind.available)
  func aFailureOfAnUnknownBuildHarmsNothing(kind: StoreKind) async throws {
    let store = try await kind.make()
    try await store.note(
      ReadFailure(file: "1:2", reason: "r", attempts: 1, at: 1),
      of: BuildKey(buildID: BuildID("cc")!))
    #expect(try await store.builds(FleetQuery(), page: Page()).isEmpty)
  }

  @Test func attemptsEnd() {
    var failure = ReadFailure(file: "f", reason: "r", attempts: 1, at: 1000)
    #expect(!failure.isDue(at: 1000 + 3599))
    #expect(failure.isDue(at: 1000 + 3600))
    failure.attempts = 2
    #expect(!failure.isDue(at: 1000 + 86399))
    #expect(failure.isDue(at: 1000 + 86400))
    failure.attempts = 3
    #expect(!failure.isDue(at: .greatestFiniteMagnitude))
    #expect(!failure.isDue(at: 0))
  }

  private func trace(of build: BuildKey) -> CountedProcess {
    let process = ObservedProcess(
      run: build.buildID.description, process: "0", forkedFrom: nil, root: "0", host: "host",
      startedAt: 1_790_000_000, seconds: 1, readyAfter: nil, losses: Losses(),
      images: [
        ObservedProcess.Image(
          build: build, name: "/opt/app/bin/server", isExecutable: true, guardCount: 300)
      ], calls: [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 0)], callers: [])
    return CountedProcess(process)
  }
}
