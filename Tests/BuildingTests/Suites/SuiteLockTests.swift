import Building
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct SuiteLockTests {
  @Test func theSecondWaitsForTheFirstAndSaysSo() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("lock")
    var first: SuiteLock? = try SuiteLock(path) { _ in Issue.record("nobody to wait for") }
    withExtendedLifetime(first) {}
    let isReleased = Mutex(false)
    let (lines, said) = AsyncStream<String>.makeStream()
    async let second: Bool = {
      let lock = try SuiteLock(path) { line in
        said.yield(line)
        said.finish()
      }
      return withExtendedLifetime(lock) { isReleased.withLock { $0 } }
    }()
    let line = await lines.first { _ in true }
    #expect(
      line == "waiting for another firstlight test here (process \(getpid()))")
    isReleased.withLock { $0 = true }
    first = nil
    #expect(try await second)
  }

  @Test func aFolderThatIsNotThereIsNamed() throws {
    let directory = try TemporaryDirectory()
    let failure = #expect(throws: (any Error).self) { try SuiteLock(directory.path("no/lock")) }
    #expect("\(failure!)".contains("no/lock: cannot write"))
  }
}
