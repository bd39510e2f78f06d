import FirstlightModel

/// What an order is checked against: the functions of a linked binary and where they lie.
package struct LinkedBinary: Sendable {
  /// In any order.
  package var symbols: [TargetSymbol]
  /// For each symbol the name of its output section.
  package var outputSections: [String]
  /// From the linker's map, sorted by address; empty without one.
  package var inputSections: [InputSection]

  package init(
    symbols: [TargetSymbol], outputSections: [String], inputSections: [InputSection] = []
  ) {
    self.symbols = symbols
    self.outputSections = outputSections
    self.inputSections = inputSections
  }

  func inputSection(at address: UInt64) -> InputSection? {
    var low = 0
    var high = inputSections.count
    while low < high {
      let middle = (low + high) / 2
      if inputSections[middle].addresses.lowerBound <= address {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0, inputSections[low - 1].addresses.contains(address) else { return nil }
    return inputSections[low - 1]
  }
}
