import FirstlightModel
import ProcessControl
import Recording
import Testing

/// Nothing is recorded here: the tracer owns all children of its process, and tests have others.
@Suite struct RecordedRunTests {
  private func failure(_ ending: ProgramEnding, isLate: Bool = false) -> String? {
    RecordedRun(directory: "/d", command: ["app"], ending: ending, isLate: isLate).failure?.problem
  }

  @Test func failedRunsAreUnusable() {
    #expect(failure(.exited(0)) == nil)
    #expect(failure(.exited(3)) == "app ended with exit status 3")
    #expect(failure(.signalled(6)) == "app was killed by signal 6 (Aborted)")
    #expect(failure(.stopped("when ready")) == nil)
    #expect(failure(.stopped("as it was late"), isLate: true) == "app stopped as it was late")
  }
}

@Suite struct ImageChoiceTests {
  @Test func aProfileWithoutImagesSaysSo() {
    let failure = #expect(throws: Failure.self) { try ImageChoice(glob: nil).index(in: Profile()) }
    #expect(failure?.problem == "the profile contains no binaries")
  }
}
