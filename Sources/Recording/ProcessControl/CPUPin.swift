import FirstlightLauncher

/// Keeps measured programs on one CPU, where other processes disturb them less.
package struct CPUPin {
  package let processor: Int
  private let mask: CPUAffinity

  /// The last of the allowed CPUs, since the first serves most interrupts. Nil if there is only
  /// one, or it cannot be chosen.
  package init?() {
    guard let allowed = CPUAffinity.current, allowed.processors.count > 1,
      let last = allowed.processors.last
    else { return nil }
    processor = last
    mask = allowed.only(last)
    guard mask.use() else { return nil }
    allowed.use()
  }

  /// Runs `body` with this thread and its child processes on the CPU.
  package func hold<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try mask.hold(body)
  }
}
