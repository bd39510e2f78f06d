/// Keeps programs that are measured on one processor: what else runs moves them about less.
package struct CPUPin {
  package let processor: Int
  private let mask: CPUAffinity

  /// The last of the processors we may use: the first serves most interrupts. Nil where that cannot
  /// be chosen, or where there is only one.
  package init?() {
    guard let allowed = CPUAffinity.current, allowed.processors.count > 1,
      let last = allowed.processors.last
    else { return nil }
    processor = last
    mask = allowed.only(last)
    guard mask.use() else { return nil }
    allowed.use()
  }

  /// Runs `body` with this thread, and what it starts, on the processor.
  package func hold<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try mask.hold(body)
  }
}
