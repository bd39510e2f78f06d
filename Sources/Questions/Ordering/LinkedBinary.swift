import FirstlightModel

/// The functions and their addresses in a linked binary, for checking an order.
package struct LinkedBinary: Sendable {
  /// In any order.
  package var symbols: [TargetSymbol]
  /// The name of each symbol's output section.
  package var outputSections: [String]
  /// Input sections from the linker's map, sorted by address; empty without a map.
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
