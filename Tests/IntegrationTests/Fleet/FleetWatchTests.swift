import Foundation
import TestSupport
import Testing

/// Processes that another one watches from outside, on their way to a fleet.
@Suite(.serialized) struct FleetWatchTests {
  private static let sums = """
    SELECT sum(processes), sum(runs), sum(windows), sum(hosts), sum(running_processes) FROM state
    """

  /// Short processes, 200 a second (in a soak 40, for five minutes), of which the watcher leaves the last ones unfinished
  /// when it is killed, and a daemon that is killed again and again.
  @Test func killedDaemonsCountEachWatchedProcessOnce() throws {
    let directory = try TemporaryDirectory()
    let (spool, store) = (directory.path("spool"), directory.path("fleet.sqlite"))
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
    let total = Soak.count(1500, soak: 12_000)
    let watcher = try Command.start([
      "python3", "-c", Self.watcher, spool, "\(total)", "\(Soak.count(200, soak: 40))",
    ])
    let options = ["--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0"]
    for _ in 0..<5 {
      let daemon = try Daemon(options)
      try daemon.hasTaken(total / Soak.count(10, soak: 6))
      try daemon.kill()
    }
    let daemon = try Daemon(options)
    let end = try watcher.wait()
    #expect(end.signalled, "\(end.errors)")
    // The last twenty were not finished; each tenth had begun before it was watched.
    try daemon.waits(for: "\(total)|\(total)|\(total / 10)|1|20", from: Self.sums, in: store)
    let pid = daemon.command.process.processIdentifier
    let peak = try Command.check(["awk", "/VmHWM/ { print $2 }", "/proc/\(pid)/status"])
    #expect(try #require(Int(peak.dropLast())) < 128 << 10, "kB")
    let profile = directory.path("fleet.flp")
    try Command.check([
      "curl", "-sf", "-o", profile,
      "http://127.0.0.1:\(try daemon.port())/v1/profile?build-id=\(String(repeating: "ab", count: 20))",
    ])
    let runs = try Command.check([
      "sqlite3", "-readonly", profile,
      "SELECT guard, runs FROM coverage WHERE runs > 0 ORDER BY guard",
    ])
    let expected = (0..<8).map { bit in
      "\(bit)|\((0..<total).count { $0 >> bit & 1 == 1 })\n"
    }
    #expect(runs == expected.joined())
    try daemon.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: spool) == [".firstlightd"])
  }

  /// Writes what a watcher writes, by the layout in firstlight_abi.h: process n has called function i if bit i of n is set.
  /// It ends by SIGKILL.
  private static let watcher = #"""
    import os, signal, struct, sys, time
    spool, total, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    namespace = os.stat("/proc/self/ns/pid").st_ino
    start = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
    def leave(name, data):
        with open(f"{spool}/.{name}-0", "wb") as file: file.write(data)
        os.rename(f"{spool}/.{name}-0", f"{spool}/{name}")
    def place(page, offset, layout, *values): struct.pack_into("<" + layout, page, offset, *values)
    living, begun = [], time.monotonic()
    for n in range(total):
        time.sleep(max(0, begun + n / rate - time.monotonic()))
        pid, now = 4_200_000 + n, time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        stem = f"{pid}-{n + 1}-{n + 1:016x}"
        identity = (pid, namespace, n + 1, n + 1)
        page = bytearray(4096)
        place(page, 0, "QII", 0x5345434f52504c46, 1, 4096)
        place(page, 16, "IIQQ", *identity)
        place(page, 48, "QQ", now, time.time_ns())
        watch = 64 + 24 + 24 + 2048 + 1024
        place(page, watch, "IIQQQ", os.getpid(), 1 if n % 10 == 0 else 0, start, 0, 0)
        leave(stem + ".process", page)
        calls = [bit for bit in range(8) if n >> bit & 1]
        segment = bytearray(8192)
        place(segment, 0, "QIIII", 0x544e4d4745534c46, 1, 4096, 24, 8)
        place(segment, 24, "IIQQ", *identity)
        place(segment, 48, "QQQQQQ", now, time.time_ns(), 0, 0x1000, 0x1000, 0)
        place(segment, 108, "I20s", 20, b"\xab" * 20)
        place(segment, 176, "I", 12)
        segment[184:196] = b"/opt/watched"
        place(segment, 2232, "I", 2)
        for i, bit in enumerate(calls): place(segment, 4096 + 24 * i, "IIQII", bit + 1, 1, now, i, bit)
        place(segment, 4032, "I", len(calls))
        leave(stem + "-0.segment", segment)
        living.append(stem)
        if len(living) > 20:
            with open(f"{spool}/{living.pop(0)}.process", "r+b") as file:
                file.seek(watch + 24)
                file.write(struct.pack("<Q", time.clock_gettime_ns(time.CLOCK_MONOTONIC)))
    os.kill(os.getpid(), signal.SIGKILL)
    """#
}
