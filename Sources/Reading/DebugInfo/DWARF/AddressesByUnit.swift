import CElfutils

/// Indices of addresses, grouped by the unit that covers each (a counting sort).
struct AddressesByUnit: Sendable {
  private let order: [Int32]
  /// Start of each unit's group in `order`, after the addresses of no unit.
  private let starts: [Int32]

  /// - Parameter units: the unit of each address; -1 if none covers it.
  init(_ units: [Int32], unitCount: Int) {
    var starts = [Int32](repeating: 0, count: unitCount + 2)
    for unit in units { starts[Int(unit) + 1] += 1 }
    var sum: Int32 = 0
    for index in starts.indices {
      let count = starts[index]
      starts[index] = sum
      sum += count
    }
    var next = starts
    var order = [Int32](repeating: 0, count: units.count)
    for (index, unit) in units.enumerated() {
      order[Int(next[Int(unit) + 1])] = Int32(index)
      next[Int(unit) + 1] += 1
    }
    self.order = order
    self.starts = starts
  }

  /// Indices of the unit's addresses, rising.
  subscript(unit: Int) -> ArraySlice<Int32> {
    order[Int(starts[unit + 1])..<Int(starts[unit + 2])]
  }
}
