import Foundation
import TestSupport
import Testing

/// Where firstlightd finds the names of a build whose binary is stripped.
@Suite struct FleetSymbolTests {
  @Test(arguments: ["beside the binary", "in .debug beside it", "by build id"])
  func aStrippedProgramIsNamedByItsDebugFile(place: String) throws {
    let fleet = try FleetFixture()
    try fleet.run("fd")
    let config = try split(fleet, place: place)
    let daemon = try Daemon([
      "--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
    ])
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.counts() == "a 1\nb 1\nc 1\nd 1\nmain 1\n")
    #expect(try sourceOfNever(fleet).hasSuffix("main.c\n"))
  }

  /// In the worker's sandbox as well.
  @Test func aStrippedProgramIsNamedByTheSymbolsThatItKept() throws {
    let fleet = try FleetFixture()
    let program = fleet.program.executable
    let symbols = fleet.program.directory.path("symbols")
    try fleet.run("fd")
    // As distributions do it, but for the symbols that .dynsym has too.
    try Command.check(["objcopy", "--only-keep-debug", program, symbols])
    try Command.check(["objcopy", "--strip-debug", symbols])
    try Command.check(["xz", symbols])
    try Command.check(["strip", program])
    try Command.check(["objcopy", "--add-section", ".gnu_debugdata=\(symbols).xz", program])
    let daemon = try Daemon(["--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"])
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.counts() == "a 1\nb 1\nc 1\nd 1\nmain 1\n")
  }

  @Test func aSentProgramIsNamedByADebugFileOfOurOwnOnly() throws {
    for (place, hasLines) in [("by build id", true), ("beside the binary", false)] {
      let fleet = try FleetFixture()
      let config = try split(fleet, place: place)
      let daemon = try Daemon([
        "--config", config, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
      ])
      let answer = try Command.run([
        Toolchain.firstlight, "upload-symbols", fleet.program.executable, "--to",
        "http://127.0.0.1:\(try daemon.port())",
      ])
      #expect(answer.status == 0)
      #expect(answer.errors.contains("no debug information") != hasLines, "\(answer.errors)")
      try daemon.stop()
    }
  }

  @Test func aHostileDebugFileCostsOnlyWhatItWouldHaveTold() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let config = try split(fleet, place: "by build id")
    let id = try buildID(fleet)
    let debug = fleet.program.directory.path(
      "debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug")
    let hostile = try #require(
      HostileBinary.all.first { $0.testDescription.contains("80,000 abbreviations") })
    try hostile.bytes(id).write(to: URL(fileURLWithPath: debug))
    let daemon = try Daemon([
      "--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)",
    ])
    try daemon.hasSaid("functions named")
    // Its debug information is beyond the limits of DebugInfo and left out, so that its reader goes on.
    #expect(!daemon.command.output.contains("cannot be read"))
    try daemon.stop()
  }

  /// Splits a program's debug information off.
  /// - Returns: the configuration that finds it.
  private func split(_ fleet: FleetFixture, place: String) throws -> String {
    let (program, directory) = (fleet.program.executable, fleet.program.directory)
    let id = try buildID(fleet)
    let debug =
      switch place {
      case "by build id": "debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
      case "in .debug beside it": ".debug/program.debug"
      default: "program.debug"
      }
    let path = try directory.write("", to: debug)
    try Command.check(["objcopy", "--only-keep-debug", program, path])
    try Command.check(["strip", program])
    try Command.check(["objcopy", "--add-gnu-debuglink=\(path)", program])
    if place == "by build id" {
      // The link alone would find it as well.
      try Command.check(["objcopy", "--remove-section=.gnu_debuglink", program])
    }
    return try directory.write("debug-directories = \(directory.path("debug"))\n", to: "config")
  }

  private func buildID(_ fleet: FleetFixture) throws -> String {
    let notes = try Command.check(["readelf", "-n", fleet.program.executable])
    return String(try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).output.1)
  }

  private func sourceOfNever(_ fleet: FleetFixture) throws -> String {
    try HostileScript.run("sums", fleet.store, "never")
  }
}
