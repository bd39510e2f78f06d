import Foundation
import TestSupport
import Testing

/// What a recorder has seen outlives it: SIGKILL, which nothing can prepare for.
@Suite(.tags(.compiler)) struct KilledRecorderTests {
  /// The profile of what a killed recorder left in this folder for temporary files.
  private func profile(_ folder: TemporaryDirectory, isWatched: Bool = false) throws -> String {
    let left = try #require(folder.entries.first { $0.hasPrefix("firstlight-") })
    let profile = folder.path("left.flp")
    let result = try Command.run([
      Toolchain.firstlight, "record", "-o", profile, "--directory", folder.path(left),
    ])
    #expect(result.status == 0 && result.errors.contains("its recorder was killed"), "\(result)")
    let info = try Answer.info(profile)
    #expect(info.losses.runningProcesses == 1)
    // The kernel's account of those that started last may have been unread.
    #expect(info.losses.unrecordedProcesses == (isWatched ? 1 : 0))
    return profile
  }

  @Test func breakpointsOfAKilledRecorder() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      void called(void) {}
      void later(void) {}
      int main(void) {
        called();
        printf("%d\\n", getpid());
        fflush(stdout);
        pause();
        later();
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let folder = try TemporaryDirectory()
    let run = try Command.start(
      [
        Toolchain.firstlight, "record", "--no-rebuild", "-o", program.directory.path("p.flp"), "--",
        program.executable,
      ], environment: ["TMPDIR": folder.url.path])
    let pid = try run.waitForOutput { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
    run.send(SIGKILL)
    // The pipe ends with the program.
    _ = try run.wait()
    // Its breakpoints would end it otherwise, as if by a fault of its own.
    func isAtItsEnd() -> Bool {
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return stat == nil || stat?.contains(") Z ") == true
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while !isAtItsEnd(), ContinuousClock.now < deadline { sched_yield() }
    #expect(isAtItsEnd())
    #expect(
      try Answer.order([try profile(folder)]).filter { !Watched.startFiles.contains($0) }
        == ["main", "called"])
    // The next command says where it is.
    let next = try Command.run(
      [
        "python3", "-c", "import pty, sys; pty.spawn(sys.argv[1:])", Toolchain.firstlight, "record",
        "-o", program.directory.path("n.flp"), "--", "/bin/true",
      ], environment: ["TMPDIR": folder.url.path, "TERM": "xterm"])
    #expect(
      next.output.contains("no profile was made of an earlier recording in \(folder.url.path)"),
      "\(next)")
  }

  @Test(arguments: AttachTests.Engine.all)
  func aKilledWatcher(engine: AttachTests.Engine) throws {
    let program = try Attached()
    let folder = try TemporaryDirectory()
    let watch = try Command.start(
      [
        "sh", "-c", "exec \"$@\" 2>&1", "sh", Toolchain.firstlight, "record", "--attach",
        "\(program.pid)", "-o", folder.path("p.flp"),
      ] + engine.options, environment: ["TMPDIR": folder.url.path])
    try watch.waitForOutput { $0.contains("watching ") ? true : nil }
    for order in ["b", "a"] { try program.does(order) }
    // The kernel's account is read every half second.
    if engine == .probes { try watch.wait { try Answer.called(in: folder) == ["b", "a"] } }
    let parent = watch.process.processIdentifier
    let watcher = try String(
      contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
    kill(try #require(pid_t(watcher.split(separator: " ").first ?? "")), SIGKILL)
    _ = try watch.wait()
    #expect(
      try Answer.order([try profile(folder, isWatched: engine == .probes)])
        .filter { Attached.own.contains($0) } == ["b", "a"])
    if engine == .probes { try program.end() } else { program.command.send(SIGKILL) }
  }
}

extension Answer {
  /// The functions of `Attached` that a recording in a folder for temporary files has so far.
  fileprivate static func called(in folder: TemporaryDirectory) throws -> [String] {
    let spool = try #require(folder.entries.first { $0.hasPrefix("firstlight-") })
    let profile = folder.path("so-far.flp")
    try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--directory", folder.path(spool),
    ])
    // Without a call there is no order.
    let order = try Command.run([Toolchain.firstlight, "order", profile])
    return order.output.split(separator: "\n").map(String.init).filter { Attached.own.contains($0) }
  }
}
