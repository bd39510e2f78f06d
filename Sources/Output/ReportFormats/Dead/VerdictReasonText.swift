import DeadCode
import TextFormatting

/// The reason for a function's verdict, with the deciding figure.
enum VerdictReasonText {
  static func text(_ reason: VerdictReason) -> String {
    switch reason {
    case .compilerGenerated: "all its code comes from the compiler or a macro"
    case .implicitMember: "its source line declares no initializer or deinitializer"
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
      "its own code was never called, but a function that was not recorded contains an inlined copy"
    case .copiesOnly: "it exists only as inlined copies, in functions that were never called"
    case .readDirectly:
      "its value is set at compile time, so code may read it without calling its accessor"
    case .unguardedCode:
      "not recorded: all its code does is end the program (fatalError, abort), is in another "
        + "language, or was compiled without the flags"
    case .unwatched:
      "not called while it was watched, but the program's start, which was not watched, may have called "
        + "it; record once from the start, or restart the program while it is watched"
    case .copiedInitialValue: "initializers have copies of its initial value, which leave no record"
    case .alwaysInlined: "its declaration inlines every call"
    case .inlinedWhenOptimised: "its declaration inlines calls in optimised builds"
    case .evaluatedByCompiler:
      "never called, but it is constexpr: the compiler may have worked its calls out"
    case .neverInlined: "it is never inlined, and no recorded run called it"
    case .noDebugInformation:
      "never called, but it was built without -g, so inlined copies cannot be seen"
    case .smallAndOptimised(let size, let limit):
      "never called, but optimised code of \(size) bytes may be inlined, or its calls removed, "
        + "without a record (limit: \(limit) bytes). Record a debug build, or for Swift one with "
        + "flags --no-inlining, to be sure"
    case .callsRemain:
      "no recorded run called it; the compiler inlined no call of it, and could remove none"
    case .unreached:
      "no recorded run called it, and no code that may have run refers to it, so no copy of it ran"
    case .watched: "no recorded run called it"
    case .kept: "never called, and kept on purpose"
    }
  }
}
