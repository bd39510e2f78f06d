import FirstlightModel
import Glibc
import Logging
import TestSupport
import Testing

@testable import Collector
@testable import FleetModel

/// Windows that watchers leave in a spool.
@Suite struct WindowRelayTests {
  private static let build = BuildKey(buildID: BuildID("aa")!, recorder: .breakpoints)
  private let directory: TemporaryDirectory
  private let receiver = FakeReceiver()

  init() throws { directory = try TemporaryDirectory() }

  private var relay: WindowRelay {
    get throws {
      WindowRelay(
        spool: directory.url.path, labels: try FleetLabels(["region": "eu"]), sink: receiver,
        monitor: DaemonMonitor(), logger: Logger(label: "test"))
    }
  }

  private var files: [String] { directory.entries.filter { $0.hasSuffix(WindowSpool.suffix) } }

  private static func profile(_ calls: [UInt32]) -> Profile {
    let build = Build(
      buildID: build.buildID, path: "/opt/app/server", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: [], entryGuards: [], guardCount: 4,
      recorder: .breakpoints)
    var recorded = RecordedBuild(build: build, runs: 1)
    recorded.withoutStart = [0, 1, 2, 3]
    return Profile(
      builds: [recorded],
      runs: [
        Run(
          id: "r", command: ["server"],
          host: Host(name: "h", kernel: "", architecture: "x86_64", processor: "", cores: 1),
          startedAt: 1.79e9, endedAt: 1.79e9 + 3, ending: .exited(0), problems: [],
          attachment: .probes)
      ],
      processes: [
        RecordedProcess(
          id: "1-1", run: "r", pid: 1, parentPID: 0, forkedFrom: nil, path: "/opt/app/server",
          arguments: [], startedAt: 1.79e9, readyAfter: nil, losses: Losses(),
          calls: calls.map { RecordedCall(build: 0, guardIndex: $0, thread: 1, time: 5) })
      ])
  }

  @Test func theLastWindowOfEachWatchIsSentWithTheHostsLabels() async throws {
    var spool = try WindowSpool(directory.url.path)
    try spool.add(Self.profile([1]), of: 0)
    try spool.add(Self.profile([1, 2]), of: 0)
    try spool.add(Self.profile([3]), of: 1)
    #expect(files.count == 2)
    receiver.with { $0.isDown = true }
    await #expect(throws: DeliveryError.self) { try await relay.send() }
    #expect(files.count == 2)
    receiver.with { $0.isDown = false }
    #expect(try await relay.send())
    #expect(files.isEmpty)
    #expect(Set(receiver.rows.map { $0.sums.called.map(\.0) }) == [[1, 2], [3]])
    for row in receiver.rows {
      #expect(row.key.labels.labels == ["region": "eu"] && row.names.paths == ["server"])
      #expect(row.key.build == Self.build && !row.unwatched.isEmpty)
    }
    // A later window of the same watch replaces its row.
    try spool.add(Self.profile([0, 3]), of: 1)
    #expect(try await relay.send())
    #expect(Set(receiver.rows.map { $0.sums.called.map(\.0) }) == [[1, 2], [0, 3]])
    #expect(try await !relay.send())
  }

  @Test func whatIsNoWindowIsRemoved() async throws {
    try directory.write("no batch", to: "x\(WindowSpool.suffix)")
    receiver.with { $0.isUnreadable = { _ in true } }
    var spool = try WindowSpool(directory.url.path)
    try spool.add(Self.profile([1]), of: 0)
    let relay = try relay
    #expect(try await relay.send())
    // It waits: the receiver may be of another version.
    #expect(files.count == 1 && receiver.rows.isEmpty)
    receiver.with { $0.isUnreadable = { _ in false } }
    #expect(try await !relay.send())
    #expect(try await self.relay.send())
    #expect(files.isEmpty && receiver.rows.count == 1)
  }

  /// As rows of a ledger do.
  @Test func aWindowOfAClosedDayCountsOnTheFirstOpenOne() async throws {
    let open = FleetDay(number: 30_000)
    receiver.with { $0.firstOpenDay = open }
    var spool = try WindowSpool(directory.url.path)
    try spool.add(Self.profile([1]), of: 0)
    #expect(try await relay.send())
    #expect(files.isEmpty && receiver.rows.map(\.key.day) == [open])
  }

  @Test func aWindowOfADayToComeCountsWithoutADate() async throws {
    receiver.with { $0.lastDay = FleetDay(number: 20_000) }
    var spool = try WindowSpool(directory.url.path)
    try spool.add(Self.profile([1]), of: 0)
    #expect(try await relay.send())
    #expect(files.isEmpty && receiver.rows.map(\.key.day) == [.undated])
  }

  /// Any user can write to a spool, and exchange files at any time.
  @Test(arguments: ["pipe", "link"]) func whatIsNoFileIsNotRead(kind: String) async throws {
    let path = directory.path("x\(WindowSpool.suffix)")
    if kind == "pipe" {
      #expect(mkfifo(path, 0o600) == 0)
    } else {
      #expect(symlink("/dev/zero", path) == 0)
    }
    #expect(try await !relay.send())
    #expect(files.count == 1)
  }

  @Test func aSpoolHasToBeThere() throws {
    let failure = #expect(throws: Failure.self) { try WindowSpool(directory.path("nowhere")) }
    #expect(failure?.kind == .noInput)
  }
}
