import FirstlightModel
import ProcessControl
import Recording
import Testing

/// Nothing is recorded here: the tracer owns all children of its process, and tests have others.
@Suite struct RecordedRunTests {
  private func failure(_ ending: RunEnding, isLate: Bool = false) -> String? {
    RecordedRun(directory: "/d", command: ["app"], ending: ending, isLate: isLate).failure?.problem
  }

  @Test func failedRunsAreUnusable() {
    #expect(failure(.exited(0)) == nil)
    #expect(failure(.exited(3)) == "app ended with exit status 3")
    #expect(failure(.signalled(6)) == "app was killed by signal 6 (Aborted)")
    #expect(failure(.other("stopped when ready")) == nil)
    #expect(failure(.other("stopped as it was late"), isLate: true) == "app stopped as it was late")
  }

  @Test func anInterruptedRunIsToldFromAFailedOne() {
    func isInterrupted(_ ending: RunEnding, asked: Bool = false) -> Bool {
      RecordedRun(directory: "/d", command: ["app"], ending: ending, wasAskedToEnd: asked)
        .isInterrupted
    }
    #expect(isInterrupted(.signalled(2)) && isInterrupted(.signalled(15)))
    #expect(isInterrupted(.exited(130)) && isInterrupted(.exited(1), asked: true))
    #expect(!isInterrupted(.signalled(6)) && !isInterrupted(.exited(1)))
    // It came to its end all the same.
    #expect(!isInterrupted(.exited(0), asked: true) && !isInterrupted(RecordedRun.unknownEnding))
  }

  @Test(
    arguments: [
      (.port(80), "listened on port 80"), (.line("up"), "printed a line with \"up\""),
      (.ready, "reported ready"),
      (.http(port: 1, path: "/"), "answered http://127.0.0.1:1/"),
    ] as [(ReadinessCondition, String)])
  func anEndBeforeTheMomentIsNamed(until: ReadinessCondition, done: String) {
    var run = RecordedRun(directory: "/d", command: ["app"], ending: .exited(0), until: until)
    let missed = run.missedMoment(Profile())
    #expect(missed?.kind == .data)
    #expect(missed?.problem == "app ended (exit status 0) before it had \(done)")
    #expect(run.missedMoment(nil) == nil)
    run.reachedAt = 1
    #expect(run.missedMoment(Profile()) == nil)
    (run.reachedAt, run.wasAskedToEnd) = (nil, true)
    #expect(run.missedMoment(Profile()) == nil)
  }

  @Test(arguments: [.exit, .duration(9)] as [ReadinessCondition])
  func anEndIsNoMissWhereNobodyWaits(until: ReadinessCondition) {
    let run = RecordedRun(directory: "/d", command: ["app"], ending: .exited(0), until: until)
    #expect(run.missedMoment(Profile()) == nil)
  }
}
