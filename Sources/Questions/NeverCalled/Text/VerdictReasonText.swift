import SystemSupport

/// The reason for a function's verdict, with the deciding figure.
enum VerdictReasonText {
  static func text(_ reason: VerdictReason) -> String {
    switch reason {
    case .compilerGenerated: "all its code comes from the compiler or a macro"
    case .implicitMember: "its source line declares no initializer or deinitializer"
    case .mainOfTestedProgram: "the main of a program, which tests are linked with but do not start"
    case .called(let runs): "called in \(CountText.text(runs, "run"))"
    case .below(let share, let threshold):
      "called in \(DeadSentences.percent(share)) of the runs, less than "
        + DeadSentences.percent(threshold)
    case .counted(let runs, let isInBinary):
      "the compiler counts its calls, and \(CountText.text(runs, "counted run")) had none"
        + (isInBinary ? "" : "; the optimiser has already removed its code")
    case .notInNewestBuild: "not in the newest build"
    case .notInProgram:
      "not in the recorded program: only the tests' binaries have it, but code of the program may hold "
        + "copies of it"
    case .onlyInTests:
      "not in the recorded program: only the tests' binaries have it, and no code of the program refers "
        + "to it"
    case .copyInCalledFunction:
      "its own code was never called, but a function that was called contains an inlined copy"
    case .copyMayHaveRun:
      "its own code was not called, but a function that may have run unseen contains an inlined copy"
    case .uncountedCode:
      "no run counted it, but Swift code, or an object without counters, may have a copy of this header's "
        + "function that nothing counts"
    case .replacedDestructor:
      "its own code was not called, but in optimised builds clang calls the base class's destructor instead "
        + "if this one is empty. A build without optimisation shows its calls"
    case .copiesOnly: "it exists only as inlined copies, in functions that were never called"
    case .readDirectly:
      "its value is set at compile time, so code may read it without calling its accessor"
    case .unguardedCode:
      "not recorded: all its code does is end the program (fatalError, abort), is in another "
        + "language, or was compiled without the flags"
    case .unwatched:
      "not watched: the program ran already when the recorder attached, or the function takes no probe, or has lost it"
    case .notCalledWhileWatched(let windows, let seconds):
      "no call in \(windowsText(windows, seconds: seconds)), but the program may have called it before. "
        + "Restart the program with its arguments while it is watched, or record one start"
    case .copiedInitialValue: "initializers have copies of its initial value, which leave no record"
    case .alwaysInlined: "its declaration inlines every call"
    case .inlinedWhenOptimised: "its declaration inlines calls in optimised builds"
    case .evaluatedByCompiler:
      "never called, but it is constexpr: the compiler may have worked its calls out"
    case .neverInlined: "it is never inlined, and no recorded run called it"
    case .mergedAccessor:
      "its own code was not called, but Swift merged it with accessors of equal code, and debug information "
        + "does not show whether it was written. Record a counted build (firstlight flags swiftpm --counters) "
        + "or a debug build to be sure"
    case .noDebugInformation:
      "never called, but it was built without -g, so inlined copies cannot be seen"
    case .mayBeCopied:
      "its own code was never called, but optimised Swift code may be copied into callers without a record. "
        + "Record a counted build (firstlight flags swiftpm --counters) or a debug build to be sure"
    case .smallAndOptimised(let size):
      "its own code was never called, but of \(size) bytes of optimised code the compiler may leave no record "
        + "when it inlines it or removes calls. Record a build with entry hooks, or without optimisation, to be "
        + "sure"
    case .watched: "no recorded run called it"
    case .kept: "never called, and kept on purpose"
    }
  }

  /// `30 windows of 720 h in all`.
  static func windowsText(_ windows: Int, seconds: Double?) -> String {
    CountText.text(windows, "window")
      + (seconds.map { " of \(TimeText.text($0))" + (windows > 1 ? " in all" : "") } ?? "")
  }
}
