import Foundation
import TestSupport
import Testing

/// Debug information that this machine lacks, from a real debuginfod, and what elfutils' own client makes of
/// the cache.
@Suite(.tags(.compiler)) struct DebuginfodCommandTests {
  /// A stripped program, the same one whole, and what a server has.
  private final class Example {
    let directory: TemporaryDirectory
    let stripped: String
    let whole: String
    let buildID: String
    /// Of the cache, where the program's debug information goes.
    var cached: String { directory.path("cache/\(buildID)/debuginfo") }
    var debugFile: String { directory.path("files/program.debug") }

    init() throws {
      let program = try Fixture.c(
        """
        static int twice(int x) { return x * 2; }
        int never(int x) { return twice(x); }
        int main(void) { return 0; }
        """, options: ["-O0"])
      directory = program.directory
      (stripped, whole) = (directory.path("stripped"), program.executable)
      try FileManager.default.createDirectory(
        atPath: directory.path("files"), withIntermediateDirectories: true)
      try Command.check([
        "objcopy", "--only-keep-debug", whole, directory.path("files/program.debug"),
      ])
      try Command.check(["strip", "-o", stripped, whole])
      let notes = try Command.check(["readelf", "-n", whole])
      let line = try #require(notes.split(separator: "\n").first { $0.contains("Build ID") })
      buildID = String(try #require(line.split(separator: " ").last))
    }

    func environment(_ url: String, _ more: [String: String] = [:]) -> [String: String] {
      more.merging(["DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": directory.path("cache")]) {
        more, _ in more
      }
    }

    /// Asks for the entry of `never`, by its address.
    func symbolize(_ file: String, _ environment: [String: String]) throws -> CommandResult {
      let symbols = try Command.check(["llvm-nm", whole]).split(separator: "\n")
      let never = try #require(symbols.first { $0.hasSuffix(" never") })
      return try Command.run(
        [Toolchain.firstlight, "symbolize", "--binary", file, String(never.prefix(16))],
        environment: environment)
    }
  }

  private func deadURL() throws -> String { "http://127.0.0.1:\(try DebuginfodServer.freePort())" }

  @Test func whatAServerHasIsFetchedOnceIntoTheSharedCache() throws {
    let example = try Example()
    let expected = try example.symbolize(example.whole, [:])
    #expect(expected.output.hasPrefix("never\n") && expected.output.contains("main.c:"))
    let server = try DebuginfodServer(files: example.directory.path("files"))
    let environment = example.environment("\(try deadURL()) \(server.url)/")
    let fetched = try example.symbolize(example.stripped, environment)
    #expect(fetched.output == expected.output && fetched.status == 0 && fetched.errors == "")
    let whole = FileManager.default.contents(atPath: example.debugFile)
    #expect(FileManager.default.contents(atPath: example.cached) == whole)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: example.directory.path("cache/\(example.buildID)")) == ["debuginfo"])
    server.stop()
    let again = try example.symbolize(example.stripped, environment)
    #expect(again.output == expected.output && again.errors == "")
    // elfutils' client takes it from there as well.
    let found = try Command.check(
      ["debuginfod-find", "debuginfo", example.buildID], environment: environment)
    #expect(found == example.cached + "\n")
  }

  @Test(arguments: [[], ["--no-rebuild"]])
  func recordAndDeadNameFunctions(options: [String]) throws {
    let example = try Example()
    let server = try DebuginfodServer(files: example.directory.path("files"))
    let profile = example.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile] + options + ["--", example.stripped],
      environment: example.environment(server.url))
    #expect(result.status == 0)
    #expect(!result.errors.contains("warning") && !result.errors.contains("note"), "\(result)")
    let dead = try Answer.dead([profile]).functions
    #expect(dead.contains { $0.name == "never" && $0.line == 2 })
  }

  @Test func aServerThatIsNotThereCostsOneLine() throws {
    let example = try Example()
    let url = try deadURL()
    let result = try example.symbolize(example.stripped, example.environment("\(url) \(url)/2"))
    #expect(result.status == 0 && result.output == "??\n??:0:0\n\n")
    #expect(
      result.errors
        == "firstlight: note: debuginfod: Connection refused; "
        + "reading \(example.stripped) without its debug file\n")
    #expect(!FileManager.default.fileExists(atPath: example.cached))
  }

  @Test func completeFilesAreNotRequested() throws {
    let example = try Example()
    let result = try example.symbolize(example.whole, example.environment(try deadURL()))
    #expect(result.output.hasPrefix("never\n") && result.errors == "")
    #expect(!FileManager.default.fileExists(atPath: example.directory.path("cache")))
  }

  @Test func missesAreCachedForAWhile() throws {
    let example = try Example()
    try FileManager.default.removeItem(atPath: example.debugFile)
    let server = try DebuginfodServer(files: example.directory.path("files"))
    let environment = example.environment(server.url)
    let first = try example.symbolize(example.stripped, environment)
    #expect(first.output == "??\n??:0:0\n\n" && first.errors == "" && first.status == 0)
    #expect(FileManager.default.fileExists(atPath: example.cached))
    server.stop()
    let second = try example.symbolize(example.stripped, environment)
    #expect(second.errors == "")
    // Ten minutes later it is.
    try Command.check(["touch", "-d", "11 minutes ago", example.cached])
    let third = try example.symbolize(example.stripped, environment)
    #expect(third.errors.contains("Connection refused"))
  }

  @Test func aLimitOfSizeEndsInOneLine() throws {
    let example = try Example()
    let server = try DebuginfodServer(files: example.directory.path("files"))
    let large = try example.symbolize(
      example.stripped, example.environment(server.url, ["DEBUGINFOD_MAXSIZE": "1000"]))
    #expect(large.status == 0 && large.errors.contains("File too large"))
    #expect(large.errors.split(separator: "\n").count == 1)
  }

  @Test func aSlowDownloadShowsOnATerminal() throws {
    let example = try Example()
    let gate = example.directory.path("gate")
    try Command.check(["mkfifo", gate])
    // Sends the first half, then waits until somebody opens the gate.
    let server = try Command.start([
      "python3", "-u", "-c",
      """
      import socket, sys
      data = open(sys.argv[1], 'rb').read()
      s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])
      c, _ = s.accept(); c.recv(65536)
      c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(data))
      c.sendall(data[:1000]); open(sys.argv[2]).read(); c.sendall(data[1000:]); c.recv(1)
      """, example.debugFile, gate,
    ])
    defer { server.send(SIGKILL) }
    let port = try server.waitForOutput { $0.contains("\n") ? $0.prefix { $0 != "\n" } : nil }
    let command = try Command.start(
      [
        "script", "-qfec",
        "TERM=xterm '\(Toolchain.firstlight)' symbolize --binary '\(example.stripped)' 0",
        "/dev/null",
      ], environment: example.environment("http://127.0.0.1:\(port)"))
    try command.waitForOutput {
      $0.contains("debuginfod: 1,000 B for \(example.stripped)") ? true : nil
    }
    try Command.check(["sh", "-c", ": >\"$0\"", gate])
    #expect(try command.wait().status == 0)
    #expect(
      FileManager.default.contents(atPath: example.cached)
        == FileManager.default.contents(atPath: example.debugFile))
  }

  /// What dwz moved out of a program is asked for as well.
  @Test func aFileOfDWZIsFetched() throws {
    let directory = try TemporaryDirectory()
    let source = """
      static inline int twice(volatile int *x) { return *x * 2; }
      __attribute__((noinline)) int never(volatile int *x) { return twice(x) + twice(x + 1); }
      int main(int c, char **v) { return never(&c); }
      """
    let file = try directory.write(source, to: "main.c")
    let program = directory.path("program")
    try Command.check(["gcc", "-g", "-O2", "-Wl,--build-id", file, "-o", program])
    let words =
      [Toolchain.firstlight, "symbolize", "--inlines", "--binary", program]
      + (0..<8).map { "never+0x\($0)" }
    let expected = try Command.check(words)
    #expect(expected.contains("twice\n"))
    try FileManager.default.copyItem(atPath: program, toPath: directory.path("other"))
    try FileManager.default.createDirectory(
      atPath: directory.path("files"), withIntermediateDirectories: true)
    try Command.check([
      "dwz", "-m", directory.path("files/shared"), "-M", "/nonexistent/shared", program,
      directory.path("other"),
    ])
    #expect(try Command.run(words).errors.contains("names in the dwz file"))
    let server = try DebuginfodServer(files: directory.path("files"))
    let result = try Command.run(
      words,
      environment: [
        "DEBUGINFOD_URLS": server.url, "DEBUGINFOD_CACHE_PATH": directory.path("cache"),
      ])
    #expect(result.output == expected)
    #expect(result.errors == "")
  }

  @Test func aCacheThatCannotBeMadeCostsOneLine() throws {
    let example = try Example()
    let server = try DebuginfodServer(files: example.directory.path("files"))
    let result = try example.symbolize(
      example.stripped,
      example.environment(server.url, ["DEBUGINFOD_CACHE_PATH": "/dev/null/none"]))
    #expect(result.status == 0 && result.errors.contains("Not a directory"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
