import Testing

@testable import Collector

@Suite struct FleetStatusTextTests {
  private static func status() -> StatusDocument {
    StatusDocument(
      version: "1.2", startedAt: 1_795_000_000, spool: nil, sink: "sqlite:/var/lib/fleet.sqlite",
      sinkReachable: true, intakeProblem: nil, outboxTraces: 0, outboxBytes: 0,
      outboxOldestSeconds: nil, counts: [:], running: [])
  }

  @Test func anIdleDaemonHasLittleToSay() {
    // date -u -d @1795000000
    #expect(
      FleetStatusText.text(Self.status()) == """
        firstlightd  1.2, up since 2026-11-18 11:06:40 UTC
        spool        none
        store        sqlite:/var/lib/fleet.sqlite
        waiting      nothing

        """)
  }

  @Test func whatWaitsAndWhatRunsIsShown() {
    var status = Self.status()
    status.spool = "/var/spool/firstlight"
    status.sinkReachable = false
    status.intakeProblem = "no space left"
    (status.outboxTraces, status.outboxBytes, status.outboxOldestSeconds) = (1200, 5 << 20, 3725)
    status.counts = ["refused": 3, "added": 12_345]
    (status.builds, status.coverageRows, status.sampledTraces) = (2, 3000, 100)
    status.running = [
      .init(
        pid: 77, path: "/opt/a", startedAt: 1_795_000_000, firstCalls: 4321, ready: true),
      .init(pid: 8, path: "/opt/b\nc", startedAt: 1_795_000_060, firstCalls: 1, ready: false),
    ]
    #expect(
      FleetStatusText.text(status) == """
        firstlightd     1.2, up since 2026-11-18 11:06:40 UTC
        spool           /var/spool/firstlight
        store           sqlite:/var/lib/fleet.sqlite (not reachable)
        problem         no space left
        waiting         1,200 rows, 5.0 MiB, oldest 1 h 2 min
        added           12,345
        refused         3
        builds          2
        sums            3,000
        sampled traces  100

        Process  First calls  Started                  Ready  Program
             77        4,321  2026-11-18 11:06:40 UTC  yes    /opt/a
              8            1  2026-11-18 11:07:40 UTC  -      /opt/b\\nc

        """)
  }
}
