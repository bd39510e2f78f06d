import Foundation
import TestSupport
import Testing

/// What hosts do to a collector: crowds of processes, full disks, clocks that jump.
@Suite(.serialized, .tags(.compiler)) struct FleetEnduranceTests {
  /// Waves of 500 processes that are all there at once and end at once.
  @Test func aStormLosesNothing() throws {
    let program = try Fixture.c(
      """
      #include <stdlib.h>
      #include <unistd.h>
      #define F(i) __attribute__((noinline)) int f##i(int x) { return x + __LINE__; }
      F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
      static int (*const all[])(int) = {f0, f1, f2, f3, f4, f5, f6, f7};
      int main(int n, char **v) {
        volatile int s = 0;
        for (int i = 0; i < 8; i++) if (atoi(v[1]) >> i & 1) s = all[i](s);
        char c;
        return (int)read(0, &c, 1);
      }
      """)
    let fleet = try FleetFixture()
    let total = Soak.count(1000, soak: 10_000)
    let daemon = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try daemon.hasSaid("[Collector] started")
    let storm = try Command.start(
      ["python3", "-c", Self.storm, program.executable, "\(total)"],
      environment: ["FIRSTLIGHT_DIR": fleet.spool])
    try daemon.waits(
      for: "\(total)", from: FleetSQL.processes, in: fleet.store)
    let result = try storm.wait()
    #expect(result.status == 0, "\(result.errors)")
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.leftInSpool == [])
    let counts = (0..<8).map { bit in "f\(bit) \((0..<total).filter { $0 >> bit & 1 == 1 }.count)\n"
    }
    #expect(try fleet.counts() == counts.joined() + "main \(total)\n")
  }

  /// Processes of a wave wait for the end of their input.
  private static let storm = """
    import os, subprocess, sys
    program, total = sys.argv[1], int(sys.argv[2])
    for start in range(0, total, 500):
        r, w = os.pipe()
        wave = [subprocess.Popen([program, str(n)], stdin=r) for n in range(start, min(start + 500, total))]
        os.close(r)
        os.close(w)
        for process in wave:
            assert process.wait() == 0
    """

  @Test(.enabled(if: SmallDisk.isPossible, "needs a small file system, so the right to mount one"))
  func aFullDiskUnderTheStoreDelaysAndLosesNothing() throws {
    let fleet = try FleetFixture()
    let disk = try SmallDisk()
    let store = disk.path("fleet.sqlite")
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
    ])
    let ready = "http://127.0.0.1:\(try daemon.port())/readyz"
    #expect(try Command.check(["curl", "-s", ready]) == "ready\n")
    try disk.fill()
    #expect(try Command.check(["curl", "-s", ready]).contains("no space left for the store"))
    for what in ["b", "fd", "d"] { try fleet.run(what) }
    try daemon.hasSaid("no space left for the store")
    try disk.free()
    try daemon.waits(for: "4", from: FleetSQL.processes, in: store)
    try daemon.hasSaid("functions named")
    #expect(try Command.check(["curl", "-s", ready]) == "ready\n")
    try daemon.stop()
    #expect(try fleet.counts(of: store) == "a 3\nb 2\nc 1\nd 2\nmain 3\n")
    #expect(try fleet.leftInSpool == [])
  }

  @Test(.enabled(if: SmallDisk.isPossible, "needs a small file system, so the right to mount one"))
  func aFullDiskUnderTheSpoolHarmsNoProgram() throws {
    let fleet = try FleetFixture()
    let disk = try SmallDisk()
    let (spool, waiting) = (disk.path("spool"), disk.path("waiting"))
    for path in [spool, waiting] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    for what in ["b", "fd", "d"] { try fleet.run(what, in: waiting) }
    let daemon = try Daemon(["--spool", spool, "--store", "sqlite:\(fleet.store)"])
    try daemon.hasSaid("[Collector] started")
    try disk.fill()
    // Ends well, and leaves nothing by halves.
    try fleet.run("b", in: spool)
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".firstlightd"])
    for name in try FileManager.default.contentsOfDirectory(atPath: waiting) {
      try FileManager.default.moveItem(atPath: "\(waiting)/\(name)", toPath: "\(spool)/\(name)")
    }
    try daemon.hasSaid("cannot collect")
    try disk.free()
    try daemon.waits(for: "4", from: FleetSQL.processes, in: fleet.store)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.counts() == "a 3\nb 2\nc 1\nd 2\nmain 3\n")
  }

  /// The clock of the daemon and of what it watches jumps years back and forth.
  @Test func clocksThatJumpChangeNoCount() throws {
    let fleet = try FleetFixture()
    let clock = try fleet.program.directory.write("+0", to: "clock")
    let faked = try WrongClock.jumping(by: clock)
    let daemon = try Daemon(
      ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"], environment: faked)
    var runs = 0
    for offset in ["+0", "-3y", "+9y", "-1d", "+1h", "-20y"] {
      try Data(offset.utf8).write(to: URL(filePath: clock))
      for what in ["b", "d"] {
        try Command.check(
          [fleet.program.executable, what],
          environment: faked.merging(["FIRSTLIGHT_DIR": fleet.spool]) { $1 })
        runs += 1
      }
      try daemon.waits(for: "\(runs)", from: FleetSQL.processes, in: fleet.store)
    }
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.counts() == "a 12\nb 6\nd 6\nmain 12\n")
    // The days are those that the clock showed.
    let days = try Command.check(["sqlite3", fleet.store, "SELECT count(DISTINCT day) FROM state"])
    #expect((4...6).contains(Int(days.trimmingCharacters(in: .newlines)) ?? 0))
  }
}
