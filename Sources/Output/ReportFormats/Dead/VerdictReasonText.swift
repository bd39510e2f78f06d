import DeadCode
import TextFormatting

/// Why a function has its verdict, with the figure that decided.
enum VerdictReasonText {
  static func text(_ reason: VerdictReason) -> String {
    switch reason {
    case .compilerGenerated: "the compiler or a macro made all its code"
    case .implicitMember: "its source line declares no initializer or deinitializer"
    case .called(let runs): "\(CountText.text(runs, "run")) called it"
    case .below(let share, let threshold):
      "\(DeadSentences.percent(share)) of the runs called it, less than "
        + DeadSentences.percent(threshold)
    case .notInNewestBuild: "it is not in the newest build"
    case .copyMayHaveRun:
      "its own code was never called, but a copy of it lies in a function that was called or has "
        + "no guard"
    case .copiesOnly: "it has no code of its own, only copies in functions that were never called"
    case .unguardedCode:
      "it has code without a guard (nothing but fatalError in it, another language, or compiled "
        + "without the flags)"
    case .alwaysInlined: "its declaration has every call inlined"
    case .inlinedWhenOptimised: "its declaration has calls inlined in optimised builds"
    case .neverInlined: "its guard was watched and never reached, and it is never inlined"
    case .smallAndOptimised(let size, let limit):
      "its guard was never reached, but optimised code of \(size) bytes may be inlined without a "
        + "record; the limit is \(limit) bytes. A debug build, or flags --no-inlining, tells"
    case .watched: "its guard was watched, and no run reached it"
    case .kept: "its guard was never reached, and it is kept on purpose"
    }
  }
}
