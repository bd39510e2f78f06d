import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport
import TextFormatting

/// A patch after which a project builds and passes its tests.
package struct VerifiedPatch {
  package let patch: PrunePatch
  /// Candidates that must stay as they are, with the line that explains the failure.
  package let takenBack: [Int: String]
  /// Number of runs of the command.
  package let runs: Int

  /// Tests a plan's patch, and takes back the candidates that break it.
  ///
  /// - Parameter chosen: the candidates to change.
  /// - Throws: errors of the tree; `Failure` of kind `data` if the command fails without changes.
  package init(
    _ plan: PrunePlan, of chosen: Set<Int>, in tree: VerificationTree
  ) throws {
    let all = plan.patch(of: chosen)
    guard !all.removed.isEmpty else {
      (patch, takenBack, runs) = (all, [:], 0)
      return
    }
    var steps = PruneVerification(plan.candidates, removing: Set(all.removed)) { removed in
      let patch = plan.patch(of: removed)
      return try tree.run(patch, CountText.text(patch.removed.count, "function"))
    }
    let result = try steps.run()
    var patch = plan.patch(of: result.removed)
    // What stays for another reason than the command is named, too.
    patch.kept.merge(all.kept) { known, _ in known }
    self.patch = patch
    (takenBack, runs) = (result.takenBack, result.runs)
  }
}

/// Holds back termination signals, so that current work is cleaned up first. Create it before other
/// threads start.
package struct HeldSignals {
  private let ending: Set<Int32>
  private let wait: SignalWait

  package init() {
    ending = Set(EndingSignals.heeded)
    var set = EndingSignals.set(Array(ending) + [SIGCHLD])
    wait = SignalWait(set)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// The next termination signal; nil if there was none, a child ended, or the time is over.
  ///
  /// - Parameter limit: CLOCK_MONOTONIC, seconds.
  func next(until limit: Double) -> Int32? {
    guard case .signal(let signal, _) = wait.next(until: limit) else { return nil }
    return ending.contains(signal) ? signal : nil
  }
}
