import Glibc
import ProcessControl
import SystemSupport
import Testing

@Suite struct WaitTests {
  @Test(
    arguments: [
      (0, "ended with exit status 0"), (255 << 8, "ended with exit status 255"),
      (SIGKILL, "was killed by signal 9 (Killed)"),
      // With the mark of a core dump.
      (SIGSEGV | 0x80, "was killed by signal 11 (Segmentation fault)"),
    ] as [(Int32, String)])
  func aWaitStatusTellsHowAProgramEnded(raw: Int32, text: String) {
    let status = WaitStatus(raw)
    #expect(status.text == text)
    #expect((status.signal == nil) == (status.exitStatus != nil))
    #expect(!status.isStop)
  }

  @Test func aStopIsNoEnd() {
    let status = WaitStatus(SIGTSTP << 8 | 0x7f)
    #expect(status.isStop)
    #expect(status.stopSignal == SIGTSTP)
  }

  @Test func timeComesBeforeASignalThatWaits() throws {
    // In a thread of its own, which the signal is sent to.
    let thread = try #require(
      SignalFreeThread {
        var usual = sigset_t()
        sigemptyset(&usual)
        sigaddset(&usual, SIGUSR1)
        let signals = SignalWait(usual)
        pthread_kill(pthread_self(), SIGUSR1)
        guard case .timeIsOver = signals.next(until: Clock.monotonic() - 1) else {
          Issue.record("the time was over")
          return
        }
        guard case .signal(SIGUSR1, isFromKernel: false) = signals.next(until: nil) else {
          Issue.record("a signal was waiting")
          return
        }
      })
    thread.join()
  }
}
