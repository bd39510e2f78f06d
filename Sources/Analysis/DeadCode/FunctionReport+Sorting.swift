extension [FunctionReport] {
  /// Sorts by module, file, line and name. Sorts small keys, then moves each report once, because a report has
  /// about two hundred bytes.
  mutating func sortForReading() {
    let modules = Self.ranks(of: map(\.module))
    let files = Self.ranks(of: map { $0.file ?? "" })
    var keys = indices.map { index in
      SortKey(
        place: UInt64(modules[index]) << 32 | UInt64(files[index]), line: self[index].line,
        index: index)
    }
    keys.sort { a, b in
      if a.place != b.place { return a.place < b.place }
      if a.line != b.line { return a.line < b.line }
      return self[a.index].name < self[b.index].name
    }
    // Follows each cycle of the permutation.
    for start in keys.indices {
      var place = start
      while keys[place].index != start {
        let next = keys[place].index
        keys[place].index = place
        swapAt(place, next)
        place = next
      }
      keys[place].index = place
    }
  }

  /// The rank of each text among the distinct texts, of which there are few.
  private static func ranks(of texts: [String]) -> [UInt32] {
    var numbers: [String: UInt32] = [:]
    var last: (text: String, number: UInt32)?
    let found = texts.map { text -> UInt32 in
      if let last, text == last.text { return last.number }
      let number = numbers[text] ?? UInt32(numbers.count)
      numbers[text] = number
      last = (text, number)
      return number
    }
    var ranks = [UInt32](repeating: 0, count: numbers.count)
    for (rank, entry) in numbers.sorted(by: { $0.key < $1.key }).enumerated() {
      ranks[Int(entry.value)] = UInt32(rank)
    }
    return found.map { ranks[Int($0)] }
  }
}

private struct SortKey {
  var place: UInt64
  var line: Int
  var index: Int
}
