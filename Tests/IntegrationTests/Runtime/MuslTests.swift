import Foundation
import TestSupport
import Testing

/// Programs with musl in place of glibc. They link the same archive of the runtime.
@Suite(.tags(.compiler), .enabled(if: Musl.isHere, "needs Debian's musl-tools"))
struct MuslTests {
  private static let source = """
    __attribute__((noinline)) static void third(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void second(void) { third(); __asm__ volatile(""); }
    __attribute__((noinline)) void never(void) { __asm__ volatile("nop"); }
    __attribute__((noinline)) void first(void) { __asm__ volatile(""); }
    int main(int count, char **arguments) {
      first();
      second();
      if (count > 5) never();
      return arguments[0] == 0;
    }
    """
  private static let names: Set = ["main", "first", "second", "third", "never"]

  /// - Parameter program: keeps the folder of the profile.
  private func expectExact(_ profile: String, of program: Fixture) throws {
    try withExtendedLifetime(program) {
      let order = try Answer.order([profile]).filter(Self.names.contains)
      #expect(order == ["main", "first", "second", "third"])
      #expect(try Answer.dead([profile]).mangledNames == ["never"])
    }
  }

  @Test(arguments: Musl.links) func guardsRecordAProgram(link: [String]) throws {
    let program = try Fixture.c(Self.source, options: ["-O0"] + Musl.options + link)
    try expectExact(program.record(), of: program)
  }

  @Test(arguments: Musl.links) func breakpointsRecordAProgram(link: [String]) throws {
    let plain = try Fixture.c(
      Self.source, options: ["-O0"] + Musl.options + link, flags: Fixture.plain)
    let watched = try plain.watch()
    #expect(watched.result.status == 0)
    try expectExact(watched.profile, of: plain)
  }

  @Test(arguments: [["-static"], []]) func entryHooksRecordAProgram(link: [String]) throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.source, to: "main.c")
    let program = directory.path("program")
    try Command.check(
      ["musl-gcc", "-g", "-O2", file, "-o", program] + link + Toolchain.words(["flags", "gcc"]))
    let fixture = Fixture(directory: directory, executable: program)
    try expectExact(fixture.record(), of: fixture)
  }

  @Test(arguments: AttachTests.Engine.all) func recordersAttach(engine: AttachTests.Engine) throws {
    let program = try Attached(
      compiler: ["clang"] + Musl.options + ["-static-pie"] + Fixture.plain)
    try program.does("a")
    let window = try program.watch(engine.options)
    for order in ["b", "f", "t"] { try program.does(order) }
    let called = try Set(Answer.order([window.end()])).intersection(Attached.own)
    #expect(called == ["b", "forked", "threaded", "in_thread"])
    try program.end()
  }

  /// With glibc, `RuntimeFamilyTests` has them.
  @Test(arguments: ["fork", "clone", "thread"]) func childrenHaveTheirOwnTraces(way: String) throws
  {
    let spool = try Spool()
    try runtime("family").check([way], into: spool)
    let traces = try spool.traces()
    #expect(traces.count == 2)
    #expect(traces.first { $0.forkedFrom == nil }?.names == ["main", "shared", "parent_after"])
    #expect(traces.first { $0.forkedFrom != nil }?.names == ["worker0"])
  }

  /// The bytes of the log are the oracle: a function sets its own when it runs.
  @Test(arguments: ["kill", "segv", "_exit"]) func whatAProcessCalledBeforeItsDeathIsKept(
    way: String
  ) throws {
    let spool = try Spool()
    let logs = try TemporaryDirectory()
    let log = logs.path("log")
    _ = try runtime("killed").run([log, way, "500"], into: spool)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    let entered = Set(bytes.indices.filter { bytes[$0] == 1 })
    let records = try RawSegment.all(in: spool.directory).flatMap(\.records)
    // Of each of the four threads, a call may be recorded whose function did not set its byte.
    let called = try Set(spool.traces()[0].names.compactMap { Int($0.dropFirst()) })
    #expect(entered.contains(500) && entered.isSubset(of: called))
    #expect(called.count <= entered.count + 4)
    #expect(Set(records.map(\.thread)).count > 1)
  }

  /// musl's posix_fallocate does not write in place of a file system that cannot allocate, as glibc's does.
  @Test func filesAreMadeWhereAllocationIsNotSupported() throws {
    let headers = ["-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu"]
    let spool = try Spool()
    let program = try Fixture.runtime(
      "leaving", options: ["-O0", "-static-pie"] + Musl.options + headers)
    let result = try program.run(["emulate"], into: spool)
    #expect(result.status == 0 && !result.signalled, "\(result.errors)")
    #expect(try spool.traces().last?.names == ["first", "in_handler"])
    #expect(try spool.lostImages() == 0)
  }

  /// Whatever headers it was built with.
  @Test func theRuntimeNeedsNothingThatMuslLacks() throws {
    let needed = try Musl.symbols(of: ProgramTarget.runtime, "--undefined-only")
    let own = try Musl.symbols(of: ProgramTarget.runtime, "--defined-only")
    // Weak, or in the object that only counted programs link.
    let optional: Set = [
      "__llvm_profile_get_size_for_buffer", "__llvm_profile_set_filename",
      "__register_atfork", "__sancov_should_track", "dladdr1", "strerrordesc_np",
    ]
    #expect(try needed.subtracting(own).subtracting(Musl.functions()).subtracting(optional) == [])
  }

  private func runtime(_ name: String) throws -> Fixture {
    try Fixture.runtime(name, options: ["-O0", "-static-pie"] + Musl.options)
  }
}
