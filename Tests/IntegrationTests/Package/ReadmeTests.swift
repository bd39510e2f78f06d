import Foundation
import TestSupport
import Testing

/// The commands of the README, as a newcomer pastes them, in a project of its own for each section.
@Suite(.tags(.compiler)) struct ReadmeTests {
  private let directory: TemporaryDirectory
  /// What comes before the first section, and the sections.
  private let screen: String
  private let tour: String

  init() throws {
    directory = try TemporaryDirectory()
    let readme = try String(
      contentsOf: Toolchain.project.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.firstRange(of: "\n## ")).lowerBound
    screen = String(readme[..<section])
    tour = String(readme[section...])
  }

  /// Says its version, or serves.
  private static let program = """
    #include <arpa/inet.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <unistd.h>
    int unused(int x);
    int unused(int x) { return x * 2; }
    static void serve(int port) {
      static const char answer[] =
          "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok";
      struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                    .sin_addr = {htonl(INADDR_LOOPBACK)}};
      char request[4096];
      int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 8)) exit(1);
      for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (read(connection, request, sizeof request) > 0)
          if (write(connection, answer, sizeof answer - 1) < 0) perror("write");
        close(connection);
      }
    }
    int main(int count, char **words) {
      if (count > 2 && !strcmp(words[1], "--port")) serve(atoi(words[2]));
      puts("app 1.0");
      return 0;
    }

    """

  private static let makefile = """
    CC = clang
    app: app.o
    \t$(CC) $(LDFLAGS) -o app app.o
    app.o: app.c
    \t$(CC) $(CFLAGS) -c app.c
    test: app
    \t./app
    clean:
    \trm -f app app.o

    """

  /// The lines in code blocks that begin so, each with those that it goes on in.
  private func commands(_ start: String) throws -> [String] {
    let blocks = tour.matches(of: /```\n((?:.|\n)*?)```/).map { $0.1 }
    let found = blocks.flatMap { block in
      block.replacing("\\\n", with: " ").split(separator: "\n").map { line in
        line.hasPrefix("$ ") ? String(line.dropFirst(2)) : String(line)
      }
    }.filter { $0.hasPrefix(start) }
    try #require(!found.isEmpty, "\(start)")
    return found
  }

  /// Pastes them; returns what the last one printed.
  ///
  /// - Parameter statuses: how they may end.
  @discardableResult private func paste(
    _ commands: [String], ends statuses: Set<Int32> = [0]
  ) throws -> CommandResult {
    var last: CommandResult?
    for command in commands {
      let result = try Command.run(
        ["sh", "-c", command], in: directory.url,
        environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
      #expect(
        statuses.contains(result.status) && !result.signalled,
        "\(command)\n\(result.output)\(result.errors)")
      last = result
    }
    return try #require(last)
  }

  private func writeMakeProject() throws {
    try directory.write(Self.program, to: "app.c")
    try directory.write(Self.makefile, to: "Makefile")
  }

  /// A Swift program, with a function that never runs.
  private func writePackage() throws {
    try directory.write(
      """
      func unused(_ x: Int) -> Int { x * 2 }
      func greeting() -> String { "app 1.0" }
      if CommandLine.arguments.count > 8 { print(unused(CommandLine.arguments.count)) }
      print(greeting())

      """, to: "Sources/app/main.swift")
    try directory.write(
      """
      // swift-tools-version: 5.9
      import PackageDescription
      let package = Package(name: "app", targets: [.executableTarget(name: "app")])
      """, to: "Package.swift")
  }

  /// A port that nobody listens on now.
  private func freePort() throws -> String {
    try Command.check([
      "python3", "-c",
      "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func theFirstScreenShowsWhatIsPrinted() throws {
    let example = Toolchain.project.appending(path: "Examples/cli-c").path
    try Command.check(["cp", "-r", "\(example)/.", directory.url.path])
    let block = try #require(
      screen.split(separator: "```").first { $0.contains("$ firstlight test") })
    let parts = block.dropFirst().split(separator: "\n...\n")
    #expect(parts.count == 4)
    let command = String(parts[0].dropFirst(2)).replacing("\\\n", with: " ")
    let printed = try paste(["git init -q .", command]).output
    for part in parts.dropFirst() { #expect(printed.contains(part), "\(printed)") }
    // A list of what tests never call advises no test, and one run of the tests is all of them.
    #expect(!printed.contains("says little") && !printed.contains("firstlight test, or"))
    #expect(screen.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
  }

  @Test func theDemoBuildsAsTheReadmeSays() throws {
    let demo = try String(
      contentsOf: Toolchain.project.appending(path: "Scripts/demo"), encoding: .utf8)
    for command in try commands("for product in firstlight ") { #expect(demo.contains(command)) }
  }

  @Test func aStartUpIsShownAndMadeFaster() throws {
    try writeMakeProject()
    let port = try freePort()
    try paste(["make CFLAGS='-O2 -g'", "ln -s app server"])
    try paste(try commands("firstlight launch ").map { $0.replacing("8080", with: port) })
    #expect(directory.entries.contains("start.html"))
    let optimize = try commands("firstlight optimize ")
    try paste(optimize.filter { $0.contains("make ") })
    #expect(directory.entries.contains("app.firstlight"))
    #expect(optimize.count == 2)
  }

  @Test func whatTestsNeverCallIsListedAndRemoved() throws {
    try writeMakeProject()
    let test = try commands("firstlight test")
    try paste(["git init -q ."] + test.filter { $0.contains("--run") })
    #expect(test.count == 2)
    #expect(try paste(try commands("firstlight dead --deletable")).output.contains("unused"))
    try paste(try commands("firstlight prune") + commands("git apply"))
    let left = try String(contentsOfFile: directory.path("app.c"), encoding: .utf8)
    #expect(!left.contains("unused"))
  }

  @Test func recordsBuildsAndHostsOfAPackage() throws {
    try writePackage()
    let port = try freePort()
    try paste(["swift build -c release"])
    // A server that nobody ends would be recorded for ever.
    try paste(
      try (commands("swift build -c release --scratch-path") + commands("firstlight record -o"))
        .map { $0.replacing(" --port 8080", with: "") })
    let list = try paste(try commands("firstlight dead app.flp")).output
    #expect(list.contains("unused(_:)") && !list.contains("may have run unseen"), "\(list)")

    // Ends by what it finds on a machine that is this busy.
    try paste(["cp .build/release/app before"])
    try paste(try commands("firstlight gate"), ends: [0, 1, 125])
    try paste(try commands("firstlight compare"))

    let fleet =
      try commands("mkdir -p /tmp/spool") + commands("firstlightd ")
      + commands("FIRSTLIGHT_DIR=") + commands("firstlight fleet")
    let local = fleet.map {
      $0.replacing("/tmp/", with: directory.url.path + "/").replacing("8123", with: port)
    }
    try paste([local[0]])
    let daemon = try Command.start(
      [
        "sh", "-c",
        "PATH=\(Toolchain.products.path):$PATH; exec \(local[1].replacing("&", with: "2>&1"))",
      ],
      in: directory.url)
    _ = try daemon.waitForOutput { $0.contains("[Collector] listening") ? true : nil }
    try paste([local[2]])
    _ = try daemon.waitForOutput { $0.contains("functions named") ? true : nil }
    let fleetList = try paste([local[3]]).output
    #expect(fleetList.contains("unused(_:)") && !fleetList.contains("may have run unseen"))
    daemon.send(SIGTERM)
    #expect(try daemon.wait().status == 0)
  }
}
