import Foundation
import TestSupport
import Testing

/// What systemd and firstlightd have to say to each other, without a booted systemd.
@Suite(.serialized) struct SystemdTests {
  private static let packaging = Toolchain.project.appending(path: "Packaging/systemd")

  /// The units, with the daemon where this build has it.
  private func units() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.packaging.path) {
      let text = try String(contentsOf: Self.packaging.appending(path: name), encoding: .utf8)
      try directory.write(
        text.replacing("/usr/bin/firstlightd", with: Daemon.path), to: name)
    }
    return directory
  }

  @Test func theUnitsAreWhatSystemdExpects() throws {
    let units = try units()
    for (names, options) in [
      (["firstlightd.service", "firstlightd.socket"], [String]()),
      (["firstlightd-user.service"], ["--user"]),
    ] {
      let result = try Command.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"] + options
          + names.map(units.path), environment: ["XDG_RUNTIME_DIR": units.url.path])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.errors == "")
    }
  }

  /// 2.5 of 10 at most; a unit that says nothing has 9.6.
  @Test func theUnitGivesAwayLittle() throws {
    let units = try units()
    let result = try Command.run([
      "systemd-analyze", "security", "--offline=yes", "--threshold=25", "--no-pager",
      units.path("firstlightd.service"),
    ])
    #expect(result.status == 0, "\(result.output.suffix(3000))\n\(result.errors)")
    #expect(result.output.contains("Overall exposure level"))
  }

  /// sd_notify(3): datagrams to a socket in the file system, or to an abstract one.
  @Test(arguments: [false, true])
  func itTellsThatItIsReadyThatItLivesAndThatItStops(isAbstract: Bool) throws {
    let fleet = try FleetFixture()
    let name =
      isAbstract ? "@firstlight-test-\(UUID().uuidString)" : fleet.program.directory.path("notify")
    let manager = try Command.start(["python3", "-u", "-c", Self.manager, name])
    try manager.waitForOutput { $0.contains("listens\n") ? true : nil }
    let daemon = try Daemon(
      ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"],
      environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "300000"])
    try manager.waitForOutput { output in
      output.split(separator: "\n").filter { $0 == "WATCHDOG=1" }.count >= 3 ? true : nil
    }
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
    try manager.waitForOutput { $0.contains("STOPPING=1\n") ? true : nil }
    #expect(manager.output.hasPrefix("listens\nREADY=1\n"))
    manager.send(SIGKILL)
    _ = try manager.wait()
  }

  private static let manager = """
    import socket, sys
    name = sys.argv[1]
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind("\\0" + name[1:] if name[0] == "@" else name)
    print("listens")
    while True:
        print(s.recv(4096).decode())
    """

  /// sd_listen_fds(3), with systemd's own tool: the daemon starts with the first who says "look now".
  @Test func itStartsWithTheSocketThatSystemdHands() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let socket = fleet.program.directory.path("look")
    let daemon = try Daemon(
      ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"],
      before: ["sh", "-c", Self.between, "sh", "systemd-socket-activate", "-l", socket])
    try daemon.hasSaid("Listening on \(socket)")
    let ask = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      print(s.recv(3).decode(), end="")
      """
    #expect(try Command.check(["python3", "-c", ask, socket]) == "ok\n")
    try daemon.hasTaken(1)
    #expect(try Command.check(["python3", "-c", ask, socket]) == "ok\n")
    try daemon.hasSaid("[Collector] started")
    try daemon.stop()
  }

  /// Foundation takes a child for ended when it has closed all it inherited, which systemd's tool does:
  /// so a shell stands between that passes on SIGTERM.
  private static let between = #"trap 'kill $p' TERM; "$@" & p=$!; wait $p; wait $p"#

  /// As one user, without any right: everything lies where the XDG Base Directory Specification says.
  @Test func itRunsAsAnybody() throws {
    let fleet = try FleetFixture()
    let home = fleet.program.directory.path("home")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let asNobody =
      getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
    if getuid() == 0 {
      try Command.check(["chown", "-R", "65534:65534", home, fleet.spool])
      try Command.check(["chmod", "755", fleet.program.directory.url.path])
    }
    // The second store is empty: the ledger fills it with what the first one has, too.
    for (environment, store, processes) in [
      (["XDG_STATE_HOME": home + "/state"], home + "/state/firstlight/fleet.sqlite", "1"),
      (["XDG_STATE_HOME": "", "HOME": home], home + "/.local/state/firstlight/fleet.sqlite", "2"),
    ] {
      let daemon = try Daemon(
        ["--spool", fleet.spool, "--socket", home + "/look"], environment: environment,
        before: asNobody)
      try Command.check(
        asNobody + [fleet.program.executable, "b"], environment: ["FIRSTLIGHT_DIR": fleet.spool])
      try daemon.hasTaken(1)
      try daemon.hasSaid("[Collector] started")
      try daemon.waits(for: processes, from: FleetSQL.processes, in: store)
      try daemon.stop()
      #expect(!FileManager.default.fileExists(atPath: home + "/look"))
    }
  }
}
