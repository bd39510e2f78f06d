import Foundation
import TestSupport
import Testing

/// Threads and signal handlers that meet in the hook.
@Suite(.tags(.compiler)) struct RuntimeThreadTests {
  @Test func sixtyFourThreadsRecordAHundredThousandFunctionsOnceEach() throws {
    // Functions of few instructions each, in a file that compiles in seconds.
    let count = 100_000
    let directory = try TemporaryDirectory()
    var source = (0..<count).map { "void f\($0)(void) {}\n" }.joined()
    let names = (0..<count).map { "f\($0)" }.joined(separator: ",")
    source += "void (*const all[])(void) = {\(names)};"
    let functions = try directory.write(source, to: "functions.c")
    let main = try directory.write(
      """
      #include <pthread.h>
      extern void (*const all[])(void);
      static pthread_barrier_t barrier;
      static void *run(void *unused) {
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < \(count); i++) all[i]();
        return unused;
      }
      int main(void) {
        pthread_t threads[64];
        pthread_barrier_init(&barrier, 0, 64);
        for (int i = 0; i < 64; i++) pthread_create(&threads[i], 0, run, 0);
        for (int i = 0; i < 64; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """, to: "main.c")
    try Command.check(
      [ProgramTarget.compiler, "-O0", "-pthread", functions, main, "-o", directory.path("program")]
        + Toolchain.flags("clang"))
    let spool = try Spool()
    try Command.check([directory.path("program")], environment: spool.environment)
    let segment = try #require(RawSegment.all(in: spool.directory).first)
    #expect(segment.capacity == count + 2 || ProgramTarget.hooks != nil)
    #expect(segment.records.count == count + 2)
    #expect(Set(segment.records.map(\.guard)).count == count + 2)
    #expect(Set(segment.records.map(\.sequence)) == Set(0..<UInt32(count + 2)))
  }

  @Test func handlersThatInterruptTheHookRecordTheirOwnCalls() throws {
    let spool = try Spool()
    // Ends with 1 if a call changed errno.
    try Fixture.runtime("interrupted").check(into: spool)
    let segment = try #require(RawSegment.all(in: spool.directory).first)
    #expect(segment.capacity == 502 || ProgramTarget.hooks != nil)
    #expect(Set(segment.records.map(\.guard)).count == 502)
    #expect(Set(segment.records.map(\.sequence)) == Set(0..<502))
    #expect(segment.uncommitted == 0)
  }

  @Test func handlersThatForkOutOfTheHookLeaveEachProcessItsOwn() throws {
    let spool = try Spool()
    try Fixture.runtime("forking").check(into: spool)
    let segments = try RawSegment.all(in: spool.directory)
    // main, stop_timer, 300 functions; the children's in_handler is not the parent's.
    #expect(segments.count { $0.records.count == 302 } == 1)
    #expect(segments.count > 1)
    for segment in segments {
      #expect(segment.uncommitted == 0)
      #expect(Set(segment.records.map(\.guard)).count == segment.records.count)
      #expect(Set(segment.records.map(\.thread)).count == 1)
    }
    #expect(Set(segments.flatMap { $0.records.map(\.thread) }).count == segments.count)
  }

  @Test(arguments: ["call", "mark", "ready"])
  func eightKiBOfStackAreEnoughInAForkedChild(what: String) throws {
    let spool = try Spool()
    try Fixture.runtime("cramped").check([what], into: spool)
    #expect(try spool.traces().count == 2)
  }

  @Test func callsBeforeAndAfterMainAreRecorded() throws {
    let spool = try Spool()
    try Fixture.runtime("lifetime").check(into: spool)
    let profile = try spool.profile()
    // Runs before any library's constructor could set its guard: Documentation/Runtime.md says so.
    let first = ProgramTarget.hooks == nil ? [] : ["preinit"]
    #expect(
      try Answer.order([profile]) == first + [
        "early", "late", "main", "thread_main", "end_thread", "at_exit", "first_destructor",
        "last_destructor",
      ])
    #expect(try Answer.dead([profile]).mangledNames == (first.isEmpty ? ["preinit"] : []))
  }
}
