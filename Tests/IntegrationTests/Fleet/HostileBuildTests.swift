import Foundation
import TestSupport
import Testing

/// Files made to harm their reader, sent to a firstlightd and named to it by traces.
@Suite(.serialized, .tags(.compiler)) struct HostileBuildTests {
  /// What a daemon may take that has read such a file, in KiB.
  private static let memoryLimit = 256 << 10

  @Test(arguments: HostileBinary.all)
  func aSentFileIsRefusedAndTheDaemonGoesOn(binary: HostileBinary) throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    let file = fleet.program.directory.path("hostile")
    try binary.bytes(String(repeating: "22", count: 20)).write(to: URL(fileURLWithPath: file))
    let answer = try Command.check(
      [
        "curl", "-s", "-w", "\n%{http_code} %{content_type}", "--data-binary", "@\(file)",
        "\(url)/v1/symbols?name=hostile",
      ] + Daemon.mayPost("application/x-elf"))
    // Either it is harmless to the present reader, or it is refused in words.
    if !answer.hasSuffix("200 application/json") {
      #expect(answer.hasSuffix("422 application/problem+json"))
      #expect(answer.contains("hostile: "))
      try daemon.hasSaid("uploaded file cannot be read")
    }
    try expectsLife(of: daemon, at: url, failures: answer.contains("422") ? 1 : 0)
    try daemon.stop()
  }

  @Test func aFileWithoutATableIsRefusedAtOnce() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    let file = fleet.program.directory.path("hostile")
    try HostileBinary.withoutTable.bytes(String(repeating: "22", count: 20))
      .write(to: URL(fileURLWithPath: file))
    let answer = try Command.check(
      [
        "curl", "-s", "-w", "\n%{http_code}", "--data-binary", "@\(file)",
        "\(url)/v1/symbols?name=hostile",
      ] + Daemon.mayPost("application/x-elf"))
    #expect(answer.hasSuffix("422") && answer.contains("its PC table has 0 of 1000000 guards"))
    try expectsLife(of: daemon, at: url, failures: 0)
    try daemon.stop()
  }

  @Test(arguments: HostileBinary.all)
  func aFileThatATraceNamesIsGivenUp(binary: HostileBinary) throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    try replace(fleet.program.executable, by: binary)
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.hasTaken(1)
    let words = try daemon.command.waitForOutput { output in
      ["cannot be read", "functions named", "cannot store functions"].first {
        output.contains($0)
      }
    }
    let isStopped = words == "cannot be read"
    try expectsLife(of: daemon, at: url, failures: isStopped ? 1 : 0)
    if isStopped {
      for source in [url, "sqlite:\(fleet.store)"] {
        let builds = try Command.check([
          Toolchain.firstlight, "fleet", "builds", "--from", source,
        ])
        #expect(builds.contains("not named: "), "\(builds)")
      }
    }
    try daemon.stop()
    guard isStopped else { return }

    // The next daemon knows, and reads a sound build all the same.
    let second = try FleetFixture(isOwn: true)
    try second.run("b", in: fleet.spool)
    let next = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    try next.hasSaid("functions named")
    try expectsLife(of: next, at: "http://127.0.0.1:\(try next.port())", failures: 0)
    try next.stop()
  }

  @Test func anotherFileOfTheBuildIsAnotherTry() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let sound = fleet.program.directory.path("sound")
    try ProgramFile.copy(fleet.program.executable, to: sound)
    try replace(fleet.program.executable, by: HostileBinary.ofLongNames)
    let arguments = [
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ]
    let daemon = try Daemon(arguments)
    try daemon.hasSaid("cannot be read")
    // What is sent is read at once.
    try Command.check([
      Toolchain.firstlight, "upload-symbols", sound, "--to",
      "http://127.0.0.1:\(try daemon.port())",
    ])
    try daemon.stop()
    #expect(try failures(in: fleet.store) == "")
    #expect(try fleet.counts() == "a 1\nb 1\nmain 1\n")
  }

  @Test func aRepairedFileIsReadByTheNextDaemon() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let sound = fleet.program.directory.path("sound")
    try ProgramFile.copy(fleet.program.executable, to: sound)
    try replace(fleet.program.executable, by: HostileBinary.ofLongNames)
    let arguments = ["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"]
    let daemon = try Daemon(arguments)
    try daemon.hasSaid("cannot be read")
    try daemon.stop()
    let attempts = "SELECT attempts FROM read_failure"
    #expect(try Command.check(["sqlite3", fleet.store, attempts]) == "1\n")
    try FileManager.default.removeItem(atPath: fleet.program.executable)
    try FileManager.default.moveItem(atPath: sound, toPath: fleet.program.executable)
    let next = try Daemon(arguments)
    try next.hasSaid("functions named")
    try next.stop()
    #expect(try failures(in: fleet.store) == "")
  }

  @Test(arguments: ["fifo", "link", "device", "other"])
  func whatIsNotTheFileThatRanIsLeftAlone(kind: String) throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let path = fleet.program.executable
    let moved = fleet.program.directory.path("moved/program")
    try FileManager.default.createDirectory(
      atPath: fleet.program.directory.path("moved"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    switch kind {
    case "fifo": try Command.check(["mkfifo", path])
    case "link":
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
    case "device":
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
    default: try ProgramFile.copy("/bin/true", to: path)
    }
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    try daemon.hasTaken(1)
    // Builds are looked at in the order of their programs' names: once this one is named, the first was
    // tried.
    let last = try Fixture.c("int main(void) { return 0; }")
    let executable = last.directory.path("zzz")
    try FileManager.default.moveItem(atPath: last.executable, toPath: executable)
    try Command.check([executable], environment: ["FIRSTLIGHT_DIR": fleet.spool])
    try daemon.hasSaid("functions named")
    let builds = try Command.check([
      Toolchain.firstlight, "fleet", "builds", "--from", "http://127.0.0.1:\(try daemon.port())",
    ])
    #expect(builds.contains(/program .*not named yet/))
    #expect(builds.contains(/zzz .*named/))
    try daemon.stop()
  }

  /// Puts a hostile file where a program was, under the program's build id.
  private func replace(_ path: String, by binary: HostileBinary) throws {
    let notes = try Command.check(["readelf", "-n", path])
    let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).output.1
    try FileManager.default.removeItem(atPath: path)
    try binary.bytes(String(id)).write(to: URL(fileURLWithPath: path))
  }

  private func failures(in store: String) throws -> String {
    try Command.check(["sqlite3", store, "SELECT reason FROM read_failure"])
  }

  /// Answers, is small, and has said and counted as many failures as there were.
  private func expectsLife(of daemon: Daemon, at url: String, failures: Int) throws {
    try Command.check(["curl", "-sf", "--max-time", "10", "\(url)/v1/status"])
    let metrics = try Command.check(["curl", "-sf", "\(url)/metrics"])
    let counted = metrics.firstMatch(of: /firstlightd_read_failures_total ([0-9]+)/)?.output.1
    #expect(counted ?? "0" == "\(failures)")
    let lines = daemon.command.output.split(separator: "\n").filter {
      $0.contains("cannot be read")
    }
    #expect(lines.count == failures, "\(lines)")
    let status = try String(
      contentsOfFile: "/proc/\(daemon.command.process.processIdentifier)/status", encoding: .utf8)
    let peak = try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/)).output.1
    #expect(try #require(Int(peak)) < Self.memoryLimit)
  }
}
