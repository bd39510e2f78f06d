import FirstlightLauncher

/// Keeps programs that are measured on one processor: what else runs moves them about less.
struct ProcessorPin {
  let processor: Int
  private let allowed: [UInt64]

  /// The last of the processors we may use: the first serves most interrupts. Nil where that cannot
  /// be chosen, or where there is only one.
  init?() {
    var mask = [UInt64](repeating: 0, count: Int(FL_PROCESSOR_WORDS))
    guard fl_processors(&mask) else { return nil }
    let found = (0..<mask.count * 64).filter { mask[$0 / 64] >> ($0 % 64) & 1 != 0 }
    guard found.count > 1, let last = found.last else { return nil }
    allowed = mask
    processor = last
    guard use() else { return nil }
    fl_use_processors(allowed)
  }

  /// Runs `body` with this thread, and what it starts, on the processor.
  func hold<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    _ = use()
    defer { fl_use_processors(allowed) }
    return try body()
  }

  private func use() -> Bool {
    var mask = [UInt64](repeating: 0, count: allowed.count)
    mask[processor / 64] |= 1 << (processor % 64)
    return fl_use_processors(mask)
  }
}
