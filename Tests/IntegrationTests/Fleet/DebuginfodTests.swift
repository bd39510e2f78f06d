import Foundation
import TestSupport
import Testing

/// Names for functions from a real debuginfod, where the host has no file of the build any more.
@Suite struct DebuginfodTests {
  @Test func aBuildIsNamedByDebuginfod() throws {
    let fleet = try FleetFixture()
    let files = fleet.program.directory.path("files")
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    try fleet.run("fd")
    // The server has the stripped program and its debug file apart, as distributions do.
    let debug = "\(files)/program.debug"
    try Command.check(["objcopy", "--only-keep-debug", fleet.program.executable, debug])
    try Command.check(["strip", "-o", "\(files)/program", fleet.program.executable])
    try FileManager.default.removeItem(atPath: fleet.program.executable)
    let server = try DebuginfodServer(files: files)
    defer { server.stop() }

    let config = try fleet.program.directory.write("debuginfod = yes\n", to: "config")
    let daemon = try Daemon(
      ["--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"],
      environment: ["DEBUGINFOD_URLS": server.url])
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.counts() == "a 1\nb 1\nc 1\nd 1\nmain 1\n")
    #expect(try HostileScript.run("sums", fleet.store, "never").hasSuffix("main.c\n"))
  }
}
