import Foundation
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
    // It takes no port of its own choosing: one that is free now.
    let port = try Command.check([
      "python3", "-c",
      "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ]).trimmingCharacters(in: .newlines)
    let server = try Command.start([
      "sh", "-c", "exec debuginfod -v -d :memory: -p \(port) -F \"$0\" 2>&1", files,
    ])
    defer { server.send(SIGKILL) }
    try server.waitForOutput { $0.contains("groomed") || $0.contains("grooming") ? true : nil }

    let config = try fleet.program.directory.write("debuginfod = yes\n", to: "config")
    let daemon = try Daemon(
      ["--config", config, "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)"],
      environment: ["DEBUGINFOD_URLS": "http://127.0.0.1:\(port)"])
    try daemon.hasSaid("functions named")
    try daemon.stop()
    #expect(try fleet.counts() == "a 1\nb 1\nc 1\nd 1\nmain 1\n")
    let file = try Command.check([
      "sqlite3", fleet.store,
      "SELECT file.path FROM function JOIN file ON file.id = file WHERE name = 'never'",
    ])
    #expect(file.hasSuffix("main.c\n"))
  }
}
