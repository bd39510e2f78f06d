import Foundation
import Synchronization
import SystemSupport
import Testing

@Suite struct ThreadTests {
  @Test func aSignalFreeThreadIsGivenNoSignals() throws {
    let blocked = Mutex<[Bool]>([])
    let thread = try #require(
      SignalFreeThread {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        blocked.withLock { $0 = [SIGTERM, SIGINT, SIGURG].map { sigismember(&set, $0) == 1 } }
      })
    thread.join()
    #expect(blocked.withLock { $0 } == [true, true, true])
  }

  @Test func aWakePipeCanBeReadOnceItWasRung() throws {
    let pipe = try WakePipe()
    var request = pollfd(fd: pipe.output, events: Int16(POLLIN), revents: 0)
    #expect(poll(&request, 1, 0) == 0)
    pipe.ring()
    #expect(poll(&request, 1, 0) == 1)
    pipe.reset()
    #expect(poll(&request, 1, 0) == 0)
  }

  @Test func clocksGoForward() {
    let before = Clock.monotonic()
    #expect(Clock.monotonic() >= before)
    #expect(abs(Clock.realtime() - Date().timeIntervalSince1970) < 5)
    let span = Clock.timespec(1.25)
    #expect((span.tv_sec, span.tv_nsec) == (1, 250_000_000))
  }
}
