import FirstlightModel

extension SwiftUSR {
  /// The symbol of the function, or of the one that it is a piece of: the longest beginning that the index knows.
  func find(in index: ReferenceIndex) -> FunctionJoin? {
    guard !isHelper else { return .unknown(.compilerGenerated) }
    if let symbol = find(..<bytes.count, in: index) { return .symbol(symbol) }
    for end in endsOfEntities {
      if let symbol = find(..<end, in: index), index.traits[symbol].kind.canHavePieces {
        return isLocal(from: end) ? .local(within: symbol) : .symbol(symbol)
      }
    }
    return nil
  }

  /// The symbol for the beginning of the name, or its counterpart in the index.
  private func find(_ range: PartialRangeUpTo<Int>, in index: ReferenceIndex)
    -> ReferenceIndex.Symbol?
  {
    let symbol = bytes[range].withUnsafeBytes { index.symbol(usr: $0) }
    if let symbol, index.isDefined(symbol) { return symbol }
    guard var other = Self.counterpart(bytes[range]) else { return symbol }
    if let found = other.withUnsafeBytes(index.symbol) { return found }
    // The addressor of a static variable lacks the static mark in its name.
    guard bytes[range].last == UInt8(ascii: "u") else { return symbol }
    other.append(UInt8(ascii: "Z"))
    return other.withUnsafeBytes(index.symbol) ?? symbol
  }
}
