import DeadCode
import FirstlightModel
import References
import TextFormatting

/// The limits of a never-called list.
package struct DeadGates {
  /// Whether any listed function, or any reason to keep a called one, fails the gate.
  package var strict = false
  /// The most listed functions.
  package var maxDead: Int?
  package var maxDeadBytes: UInt64?
  /// The most functions that can be deleted.
  package var maxDeletable: Int?

  package init(strict: Bool, maxDead: Int?, maxDeadBytes: UInt64?, maxDeletable: Int? = nil) {
    self.strict = strict
    self.maxDead = maxDead
    self.maxDeadBytes = maxDeadBytes
    self.maxDeletable = maxDeletable
  }

  /// A line for each limit that a list exceeds.
  package func exceeded(
    by list: DeadCodeList, references: FunctionReferences? = nil
  ) -> [String] {
    let count = list.gatedCount
    let bytes = list.gated.reduce(0) { $0 + $1.bytes }
    let stale = list.report.staleKeeps.count
    var exceeded: [String] = []
    if strict, count > 0 || stale > 0 {
      exceeded.append(
        "--strict: \(CountText.text(count, "function")) listed, "
          + CountText.text(stale, "stale keep"))
    }
    if let maxDead, count > maxDead {
      exceeded.append("--max-dead \(maxDead): \(CountText.text(count, "function")) listed")
    }
    if let maxDeadBytes, bytes > maxDeadBytes {
      exceeded.append(
        "--max-dead-bytes \(maxDeadBytes): \(CountText.number(Int(clamping: bytes))) bytes listed")
    }
    if let maxDeletable, let references {
      let count = list.gated.count { references.group($0.identity) == .deletable }
      if count > maxDeletable {
        exceeded.append(
          "--max-deletable \(maxDeletable): \(CountText.text(count, "function")) can be deleted")
      }
    }
    return exceeded
  }

  /// Why it is unknown whether limits are exceeded: functions without debug information, which have no rows, or
  /// functions that windows alone recorded would exceed them. Nil if it is known.
  package func doubt(
    about list: DeadCodeList, references: FunctionReferences? = nil
  ) -> Failure? {
    let (undecided, inWindows) = (list.undecided, Array(list.inWindows))
    let unknown = undecided + inWindows
    guard !unknown.isEmpty, exceeded(by: list, references: references).isEmpty else { return nil }
    let count = list.gatedCount + unknown.count
    let bytes = (list.gated + unknown).reduce(0) { $0 + $1.bytes }
    var gates: [String] = []
    if strict { gates.append("--strict") }
    if let maxDead, count > maxDead { gates.append("--max-dead \(maxDead)") }
    if let maxDeadBytes, bytes > maxDeadBytes { gates.append("--max-dead-bytes \(maxDeadBytes)") }
    if let maxDeletable, let references {
      let deletable = list.gated.count { references.group($0.identity) == .deletable }
      if deletable + unknown.count > maxDeletable {
        gates.append("--max-deletable \(maxDeletable)")
      }
    }
    guard !gates.isEmpty else { return nil }
    let why = "insufficient evidence for \(gates.joined(separator: " and ")): "
    return undecided.isEmpty
      ? Failure(
        .insufficientEvidence,
        why + "no start was recorded of "
          + "\(CountText.text(inWindows.count, "function")) not called while watched",
        advice: "restart the program while it is watched, or merge a recording of one start")
      : Failure(
        .insufficientEvidence,
        why + "\(CountText.text(undecided.count, "function")) built without -g may have run or not",
        advice: "build with -g and record again, or leave these functions out with --exclude")
  }
}
