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
    let next = inputSections.partitioningIndex { $0.addresses.lowerBound > address }
    guard next > 0, inputSections[next - 1].addresses.contains(address) else { return nil }
    return inputSections[next - 1]
  }
}
