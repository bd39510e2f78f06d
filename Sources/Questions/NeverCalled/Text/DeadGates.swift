import FirstlightModel
import SystemSupport

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

  /// The gates that counts exceed, each with the count in words. `--strict` allows none.
  private func exceeded(
    listed: Int, bytes: UInt64, deletable: Int, stale: Int = 0
  ) -> [(gate: String, found: String)] {
    let functions = "\(CountText.text(listed, "function")) listed"
    var exceeded: [(gate: String, found: String)] = []
    if strict, listed + stale > 0 {
      exceeded.append(("--strict", functions + ", \(CountText.text(stale, "stale keep"))"))
    }
    if let maxDead, listed > maxDead { exceeded.append(("--max-dead \(maxDead)", functions)) }
    if let maxDeadBytes, bytes > maxDeadBytes {
      exceeded.append(
        (
          "--max-dead-bytes \(maxDeadBytes)",
          "\(CountText.number(Int(clamping: bytes))) bytes listed"
        ))
    }
    if let maxDeletable, deletable > maxDeletable {
      exceeded.append(
        (
          "--max-deletable \(maxDeletable)",
          "\(CountText.text(deletable, "function")) can be deleted"
        ))
    }
    return exceeded
  }

  private func exceeded(
    by list: DeadCodeList, and unknown: [FunctionReport], _ references: FunctionReferences?,
    stale: Int = 0
  ) -> [(gate: String, found: String)] {
    let deletable = references.map { references in
      list.gated.count { references.group($0.identity) == .deletable } + unknown.count
    }
    return exceeded(
      listed: list.gatedCount + unknown.count,
      bytes: (list.gated + unknown).reduce(0) { $0 + $1.bytes }, deletable: deletable ?? 0,
      stale: stale)
  }

  /// A line for each limit that a list exceeds.
  package func exceeded(
    by list: DeadCodeList, references: FunctionReferences? = nil
  ) -> [String] {
    exceeded(by: list, and: [], references, stale: list.staleKeeps.count)
      .map { "\($0.gate): \($0.found)" }
  }

  /// Why it is unknown whether limits are exceeded: functions without debug information, which have no rows, or
  /// functions that windows alone recorded would exceed them. Nil if it is known.
  package func doubt(
    about list: DeadCodeList, references: FunctionReferences? = nil
  ) -> Failure? {
    guard exceeded(by: list, references: references).isEmpty else { return nil }
    if let change = list.change { return doubt(about: change, list, references) }
    let (undecided, inWindows) = (list.undecided, Array(list.inWindows))
    let gates = exceeded(by: list, and: undecided + inWindows, references).map(\.gate)
    guard !gates.isEmpty else { return nil }
    let why = "insufficient evidence for \(gates.joined(separator: " and ")): "
    return undecided.isEmpty
      ? Failure(
        .insufficientEvidence,
        why + "no start was recorded of "
          + "\(CountText.text(inWindows.count, "function")) not called while watched",
        advice:
          "restart the program with its arguments while it is watched, or merge a recording of one start"
      )
      : Failure(
        .insufficientEvidence,
        why + "\(CountText.text(undecided.count, "function")) built without -g may have run or not",
        advice: "build with -g and record again, or leave these functions out with --exclude")
  }

  /// Of a change, every function without a verdict counts, and every file that changed after it was recorded.
  private func doubt(
    about change: SourceChange, _ list: DeadCodeList, _ references: FunctionReferences?
  ) -> Failure? {
    let unknown = list.changed(.unknown)
    let gates = exceeded(by: list, and: unknown, references).map(\.gate)
    if !gates.isEmpty {
      return Failure(
        .insufficientEvidence,
        "insufficient evidence for \(gates.joined(separator: " and ")): "
          + "\(CountText.text(unknown.count, "changed function")) may have run unseen",
        advice: "record a counted build, as firstlight test does")
    }
    guard strict || maxDead != nil || maxDeadBytes != nil || maxDeletable != nil,
      !change.outdated.isEmpty
    else { return nil }
    return Failure(
      .insufficientEvidence,
      "insufficient evidence: \(CountText.text(change.outdated.count, "file")) changed after the recording",
      advice: "build and record again")
  }
}
