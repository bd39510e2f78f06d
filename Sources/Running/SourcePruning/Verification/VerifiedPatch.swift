import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport
import TextFormatting

/// A patch after which a project builds and passes its tests.
package struct VerifiedPatch {
  package let patch: PrunePatch
  /// Candidates that must stay, with the line that explains the failure.
  package let takenBack: [Int: String]
  /// Number of runs of the command.
  package let runs: Int

  /// Tests a plan's patch in a copy of the project, and restores the candidates that break it.
  ///
  /// - Parameters:
  ///   - folder: working directory of the command; an absolute path in the project.
  ///   - limit: timeout of one run, seconds.
  ///   - signals: held back since before other threads started.
  /// - Throws: `VerificationCommand.Interrupted`; `Failure` of kind `data` if the command fails
  ///   without any removal, and those of `TreeCopy`.
  package init(
    _ plan: PrunePlan, command: String, in folder: String, limit: Double, signals: HeldSignals
  ) throws {
    let root = plan.root
    let all = plan.patch(of: Set(plan.candidates.indices))
    guard !all.removed.isEmpty else {
      (patch, takenBack, runs) = (all, [:], 0)
      return
    }
    Terminal.step("copying \(root)")
    let copy = try TreeCopy(of: root, check: signals.check)
    let verification = VerificationCommand(command, limit: limit, signals: signals)
    let place = copy.root + folder.dropFirst(root.count)
    var number = 0
    var steps = PruneVerification(plan.candidates, removing: Set(all.removed)) { removed in
      number += 1
      let patch = plan.patch(of: removed)
      try copy.apply(patch.changes)
      let count = CountText.text(patch.removed.count, "function")
      let what = "run \(number), without \(count): \(command)"
      Terminal.step(what)
      return try verification.run(in: place, log: copy.log, what).relative(to: copy.root)
    }
    let result = try steps.run()
    Terminal.clearProgress()
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

  /// Throws if a termination signal is pending.
  func check() throws {
    var pending = sigset_t()
    sigpending(&pending)
    for signal in ending where sigismember(&pending, signal) == 1 {
      throw VerificationCommand.Interrupted(signal: signal)
    }
  }
}
