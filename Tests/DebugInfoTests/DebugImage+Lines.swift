import DebugInfo

extension DebugImage {
  /// What is at each address as llvm-symbolizer writes it: lines of function, then file:line:column,
  /// innermost first.
  func lines(at addresses: [UInt64]) -> [[String]] {
    let table = source.frames(at: addresses, inlines: true)
    return addresses.indices.map { index in
      table.frames(at: index).flatMap {
        [$0.function.isEmpty ? "??" : $0.function, "\($0.file ?? "??"):\($0.line):\($0.column)"]
      }
    }
  }
}
