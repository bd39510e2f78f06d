/// Adds records to an index: what compilers saw in one file each.
struct IndexRecordReader {
  /// By symbol of the record: its number in the index; -1 if it says nothing of who needs a function.
  private var symbols: [Int32] = []

  /// - Parameter file: the file that the record is about.
  mutating func read(
    _ frame: inout IndexFrame, file: Int, into builder: inout ReferenceIndexBuilder
  ) throws(IndexFrame.Damaged) {
    try readSymbols(&frame, into: &builder)
    let (references, relations) = (builder.referenceCount, builder.relationCount)
    for _ in 0..<(try frame.count(ofSize: 16)) {
      try readOccurrence(&frame, file: file, into: &builder)
    }
    builder.fold(referencesFrom: references, relationsFrom: relations)
  }

  private mutating func readSymbols(
    _ frame: inout IndexFrame, into builder: inout ReferenceIndexBuilder
  ) throws(IndexFrame.Damaged) {
    symbols.removeAll(keepingCapacity: true)
    for _ in 0..<(try frame.count(ofSize: 20)) {
      let traits = IndexSymbolTraits(
        kind: try frame.number(), language: try frame.number(), properties: try frame.number())
      let usr = try frame.bytes()
      let name = try frame.bytes()
      if traits.kind.isIrrelevant {
        symbols.append(-1)
      } else {
        guard let symbol = builder.symbol(usr: usr, name: name, traits) else {
          throw IndexFrame.Damaged()
        }
        symbols.append(Int32(symbol))
      }
    }
  }

  private func symbol(_ number: UInt32) throws(IndexFrame.Damaged) -> Int {
    guard number < symbols.count else { throw IndexFrame.Damaged() }
    return Int(symbols[Int(number)])
  }

  private func readOccurrence(
    _ frame: inout IndexFrame, file: Int, into builder: inout ReferenceIndexBuilder
  ) throws(IndexFrame.Damaged) {
    let symbol = try symbol(try frame.number())
    let roles = IndexRoles(rawValue: try frame.number())
    let line = Int(try frame.number())
    var container = -1
    var isKinship = false
    for _ in 0..<(try frame.count(ofSize: 8)) {
      let other = try self.symbol(try frame.number())
      let relation = IndexRoles(rawValue: try frame.number())
      guard symbol >= 0, other >= 0 else { continue }
      if relation.contains(.containedBy) || container < 0 && relation.contains(.calledBy) {
        container = other
      }
      let kinship = relation.intersection(.kinship)
      if !kinship.isEmpty {
        builder.relate(symbol, kinship, other)
        isKinship = isKinship || kinship.contains(.overrideOf)
      }
    }
    guard symbol >= 0 else { return }
    if roles.contains(.definition) {
      builder.define(symbol, file: file, line: line)
    } else if roles.contains(.declaration) {
      builder.define(symbol, file: file, line: line, isDeclaration: true)
    } else if !roles.isDisjoint(with: .uses), !(isKinship && roles.contains(.implicit)) {
      // Where a type is said to answer a protocol, the compiler names what answers it.
      builder.refer(
        to: symbol, from: container < 0 ? nil : container, file: file, line: line, roles)
    }
  }
}
