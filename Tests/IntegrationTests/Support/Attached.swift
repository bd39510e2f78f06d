import Foundation
import TestSupport
import Testing

/// A program that runs and does what it is told, for recorders that attach to it.
final class Attached {
  let directory: TemporaryDirectory
  let executable: String
  let command: RunningCommand
  /// Makes the program's name its own.
  let number: Int32
  private let pipe: FileHandle
  private let path: String
  private var done = 0

  /// The functions that the program defines, but `main`.
  static let own: Set<String> = [
    "a", "b", "behind_b", "forked", "threaded", "in_thread", "start_up", "in_start_up", "in_table",
    "unreferenced",
  ]

  /// Whether the kernel allows probes here.
  static let hasProbes: Bool = {
    let result = try? Command.run([
      Toolchain.firstlight, "record", "--attach", "1", "--for", "1ms", "-o", "/dev/null",
    ])
    return result.map { !$0.errors.contains("CAP_BPF") && !$0.errors.contains("uprobe_multi") }
      ?? false
  }()

  static let source = """
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int x;
    void a(void) { x++; }
    void behind_b(void) { x--; }
    void b(void) { if (x > 1000000) behind_b(); x++; }
    void forked(void) { x++; }
    void in_thread(void) { x++; }
    void *threaded(void *p) { in_thread(); return p; }
    void in_start_up(void) { x++; }
    void start_up(void) { in_start_up(); }
    void in_table(void) { x++; }
    void (*volatile table[])(void) = {in_table};
    void unreferenced(void) { x++; }
    int main(int count, char **arguments) {
      start_up();
      int orders = open(arguments[1], O_RDWR);
      setvbuf(stdout, NULL, _IONBF, 0);
      puts("ready");
      for (char order; read(orders, &order, 1) == 1;) {
        pthread_t thread;
        int status = 0;
        if (order == 'a') a();
        if (order == 'b') b();
        if (order == 'f') {
          if (fork() == 0) { forked(); _exit(0); }
          wait(&status);
        }
        if (order == 't') {
          pthread_create(&thread, NULL, threaded, NULL);
          pthread_join(thread, NULL);
        }
        if (order == 'q') return 0;
        printf("did %c %d\\n", order, status);
      }
      return 1;
    }
    """

  /// - Parameter source: a program in C that reads orders of one letter, as this one does.
  convenience init(
    _ source: String = source, compiler: [String] = ["cc"], linking options: [String] = []
  ) throws {
    let directory = try TemporaryDirectory()
    let number = Int32.random(in: 1...999_999)
    let executable = directory.path("program-\(number)")
    try Command.check(
      compiler + [
        "-g", "-O0", "-pthread", try directory.write(source, to: "main.c"), "-o", executable,
      ] + options)
    try self.init(executable, directory, number)
  }

  private init(
    _ executable: String, _ directory: TemporaryDirectory, _ number: Int32, path: String? = nil
  ) throws {
    (self.directory, self.executable, self.number) = (directory, executable, number)
    self.path = path ?? directory.path("orders-\(UUID().uuidString)")
    if path == nil { #expect(mkfifo(self.path, 0o600) == 0) }
    command = try Command.start([executable, self.path])
    try command.waitForOutput { $0.contains("ready\n") ? true : nil }
    pipe = try #require(FileHandle(forWritingAtPath: self.path))
  }

  /// A further process of the same program, with other arguments.
  func another() throws -> Attached { try Attached(executable, directory, number) }

  /// Ends it, and starts it again with the same arguments.
  func restarted() throws -> Attached {
    try end()
    return try Attached(executable, directory, number, path: path)
  }

  /// The same build as on another host: the kernel's probes are in a file, for all its processes.
  func elsewhere() throws -> Attached {
    let copy = directory.path("copy-\(number)")
    try ProgramFile.copy(executable, to: copy)
    return try Attached(copy, directory, number)
  }

  var pid: Int32 { command.process.processIdentifier }

  /// Has the program do something, and waits until it has; its children have to end well.
  func does(_ order: String) throws {
    try self.order(order)
    let count = done
    try command.waitForOutput { output in
      output.split(separator: "\n").count { $0.hasPrefix("did ") && $0.hasSuffix(" 0") } >= count
        ? true : nil
    }
  }

  /// Has the program do something that need not end well, and does not wait.
  func order(_ order: String) throws {
    done += 1
    try pipe.write(contentsOf: Data(order.utf8))
  }

  /// The bytes of its code in memory.
  func text() throws -> Data {
    let maps = try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8)
    let line = try #require(
      maps.split(separator: "\n").first { $0.contains("r-xp") && $0.contains("/program-") })
    let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
    let memory = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/mem"))
    try memory.seek(toOffset: ends[0])
    return try #require(try memory.read(upToCount: Int(ends[1] - ends[0])))
  }

  func state() throws -> String {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return String(stat.split(separator: ")").last?.split(separator: " ").first ?? "")
  }

  /// The process that traces it; 0: none.
  func tracer() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") })
    return try #require(Int(line.dropFirst(10).filter(\.isNumber)))
  }

  func end() throws {
    try pipe.write(contentsOf: Data("q".utf8))
    let result = try command.wait()
    #expect(result.status == 0 && !result.signalled)
  }

  /// Begins to watch it; returns once all functions are watched.
  func watch(_ options: [String], target: String? = nil) throws -> Window {
    let profile = directory.path("\(UUID().uuidString).flp")
    let command = try Command.start(
      ["sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "-o", profile]
        + ["--attach", target ?? "\(pid)"] + options)
    try command.waitForOutput { $0.contains("watching ") ? true : nil }
    return Window(command: command, profile: profile)
  }

  struct Window {
    let command: RunningCommand
    let profile: String

    /// Ends it as Ctrl-C does; returns the profile's path.
    func end() throws -> String {
      command.send(SIGINT)
      let result = try command.wait()
      #expect(result.status == 0 && !result.signalled, "\(result.output)")
      return profile
    }
  }
}
