import FirstlightLauncher

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

/// On which processors a thread may run, and what it starts.
package struct CPUAffinity {
  private var words: [UInt64]

  /// The calling thread's. Nil if the system call fails.
  package static var current: CPUAffinity? {
    var words = [UInt64](repeating: 0, count: Int(FL_CPU_AFFINITY_WORDS))
    return fl_cpu_affinity_get(&words) ? CPUAffinity(words: words) : nil
  }

  package var processors: [Int] {
    (0..<words.count * 64).filter { words[$0 / 64] >> ($0 % 64) & 1 != 0 }
  }

  /// That processor alone.
  package func only(_ processor: Int) -> CPUAffinity {
    var mask = CPUAffinity(words: [UInt64](repeating: 0, count: words.count))
    mask.words[processor / 64] |= 1 << (processor % 64)
    return mask
  }

  /// Makes it the calling thread's; false where the system refuses.
  @discardableResult
  package func use() -> Bool { fl_cpu_affinity_set(words) }

  /// Runs `body` with it as the calling thread's, which then has again what it had.
  package func hold<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let before = CPUAffinity.current
    use()
    defer { before?.use() }
    return try body()
  }
}
