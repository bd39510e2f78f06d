extension [FunctionReport] {
  /// Sorts by module, file, line and name. Sorts numbers and moves each report once: a report has about two hundred
  /// bytes.
  mutating func sortForReading() {
    let order = indices.sorted { a, b in
      let (first, second) = (self[a], self[b])
      return (first.module, first.file ?? "", first.line, first.name)
        < (second.module, second.file ?? "", second.line, second.name)
    }
    self = order.map { self[$0] }
  }
}
