/// Addresses, by their places in a list, grouped by the unit that covers them; a counting sort.
struct AddressesByUnit: Sendable {
  private let order: [Int32]
  /// Where each unit's begin in `order`, after those of no unit.
  private let starts: [Int32]

  /// - Parameter units: for each address its unit; -1: none covers it.
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

  /// The places of a unit's addresses, rising.
  subscript(unit: Int) -> ArraySlice<Int32> {
    order[Int(starts[unit + 1])..<Int(starts[unit + 2])]
  }
}
