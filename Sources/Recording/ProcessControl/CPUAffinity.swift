import FirstlightLauncher

/// The CPUs on which a thread and its child processes may run.
package struct CPUAffinity {
  private var words: [UInt64]

  /// The calling thread's affinity. Nil if the system call fails.
  package static var current: CPUAffinity? {
    var words = [UInt64](repeating: 0, count: Int(FL_CPU_AFFINITY_WORDS))
    return fl_cpu_affinity_get(&words) ? CPUAffinity(words: words) : nil
  }

  package var processors: [Int] {
    (0..<words.count * 64).filter { words[$0 / 64] >> ($0 % 64) & 1 != 0 }
  }

  /// Only this CPU.
  package func only(_ processor: Int) -> CPUAffinity {
    var mask = CPUAffinity(words: [UInt64](repeating: 0, count: words.count))
    mask.words[processor / 64] |= 1 << (processor % 64)
    return mask
  }

  /// Applies the affinity to the calling thread; false if the system refuses.
  @discardableResult
  package func use() -> Bool { fl_cpu_affinity_set(words) }

  /// Runs `body` with this affinity, then restores the calling thread's earlier one.
  package func hold<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let before = CPUAffinity.current
    use()
    defer { before?.use() }
    return try body()
  }
}
