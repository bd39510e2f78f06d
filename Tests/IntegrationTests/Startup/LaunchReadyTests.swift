import Foundation
import TestSupport
import Testing

/// `launch` up to a moment that the program says itself, and one that it answers at.
@Suite(.tags(.compiler)) struct LaunchReadyTests {
  /// Waits for 50 ms, is ready, and never ends.
  private func readyProgram() throws -> Fixture {
    let include = Toolchain.project.appending(path: "CSupport/FirstlightRuntime/include").path
    return try Fixture.c(
      """
      #include <time.h>
      #include <unistd.h>
      #include "firstlight.h"
      __attribute__((noinline)) static void open_shop(void) {
        struct timespec left = {.tv_nsec = 50000000};
        while (nanosleep(&left, &left) != 0) {}
      }
      int main(void) {
        open_shop();
        firstlight_mark("open");
        firstlight_ready();
        for (;;) pause();
      }
      """, options: ["-O1", "-I\(include)"],
      flags: Fixture.plain + [Toolchain.products.appending(path: "libfirstlight_rt.a").path])
  }

  @Test func readyIsWhenTheProgramSaysSo() throws {
    let program = try readyProgram()
    let profile = program.directory.path("p.flp")
    let account = try program.launch(["--runs", "2", "--until", "ready", "--profile", profile])
    #expect(account.failure == nil)
    #expect(account.source == "ready time from the program")
    #expect(account.starts.count == 2)
    #expect(account.starts.allSatisfy { $0.duration >= 50_000_000 })
    #expect(try account.call("main").ending == "running")
    // A start whose calls are watched may take longer on a busy machine. Its times are scaled to the other
    // starts: the document says by how much.
    let least = 49_000_000 * min(1, try #require(account.scale))
    #expect(Double(try account.call("open_shop").duration!) >= least)
    // The stamp is from just behind the mark, in the start whose calls were watched.
    let mark = try #require(account.marks.first { $0.name == "open" })
    #expect(Double(mark.time) >= least)
    let ready = try Command.check(["sqlite3", profile, "SELECT ready_after * 1e9 FROM process"])
    #expect(Double(ready.trimmingCharacters(in: .whitespacesAndNewlines))! >= Double(mark.time))
  }

  /// What the runtime does is not the program's doing, and not among its functions.
  @Test func theRuntimeIsNotWatched() throws {
    let program = try readyProgram()
    let watched = try program.launch(["--runs", "1", "--until", "ready"])
    let names = try #require(watched.calls).map(\.name)
    #expect(names.contains("main") && names.contains("open_shop"))
    let symbols = try Command.check(["llvm-nm", "--defined-only", program.executable])
    #expect(symbols.contains("fl_process_open") && symbols.contains("firstlight_ready"))
    #expect(!names.contains { $0.hasPrefix("fl_") || $0.hasPrefix("firstlight_") }, "\(names)")
    #expect(!names.contains("wake") && !names.contains("record"), "\(names)")
  }

  @Test func anAnswerOverHTTPIsAskedFor() throws {
    let port = try Command.check([
      "python3", "-c",
      "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ]).trimmingCharacters(in: .whitespacesAndNewlines)
    let directory = try TemporaryDirectory()
    let python = try Command.check(["python3", "-c", "import sys; print(sys.executable)"])
    let server = Fixture(
      directory: directory, executable: python.trimmingCharacters(in: .whitespacesAndNewlines))
    let account = try server.launch(
      ["--runs", "1", "--no-calls", "--until", "http:\(port)/"],
      ["-m", "http.server", port, "--bind", "127.0.0.1"])
    #expect(account.failure == nil)
    #expect(account.source.hasPrefix("ready polled every 0.05 to 0.2 ms"))
    #expect(account.starts.count == 1)
    #expect(account.watched.first?.record.stages.last?.kind == "main")
  }
}
