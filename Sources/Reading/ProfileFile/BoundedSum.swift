/// Holds numbers of a file to a sum below 2^63, so that adding up any of them never overflows.
struct BoundedSum {
  private var sum: UInt64 = 0

  /// Whether there is room for one more number.
  mutating func add(_ number: UInt64) -> Bool {
    let (next, isOver) = sum.addingReportingOverflow(number)
    guard !isOver, next <= UInt64(Int64.max) else { return false }
    sum = next
    return true
  }
}
