import FirstlightModel
import SystemSupport

/// The functions of an image by its symbols: which one is at an address, which have a name, and where each ends.
///
/// Sorted by address. If an address has several names, the last entry represents it: the largest, and of equally large
/// ones the last in the file, as in llvm-symbolizer.
package struct FunctionSymbols: Sendable {
  struct Entry: Sendable {
    var address: UInt64
    var size: UInt64
    var nameOffset: UInt32
    var nameCount: UInt32
    /// Index into `names`.
    var table: UInt8
    var binding: ELFSymbol.Binding
    /// Untyped, a function, or an indirect one.
    var kind: ELFSymbol.Kind
  }

  let entries: [Entry]
  /// The names of each table, and the files that keep them in memory.
  private let names: [Bytes]
  private let files: [MappedFile]
  private let base: UInt64
  private let covering: IntervalMap
  /// Names without an address.
  private let absolutes: Set<TextBytes>
  private let byName = Lazy<NameOrder>()

  /// Reads the functions of one or several tables, each once.
  init(_ tables: [ELFSymbols], codeRange: Range<UInt64>) {
    names = tables.map(\.names)
    files = tables.map(\.file.file)
    base = codeRange.lowerBound
    var entries: [Entry] = []
    var absolutes: Set<TextBytes> = []
    for (number, table) in tables.enumerated() {
      let filter = FunctionFilter(table, codeRange: codeRange)
      let count = min(table.count, Int(Int32.max) - entries.count)
      entries.reserveCapacity(entries.count + count)
      for symbol in table.prefix(count) {
        if let name = filter.name(symbol) {
          entries.append(
            Entry(
              address: symbol.value, size: symbol.size, nameOffset: symbol.nameOffset,
              nameCount: UInt32(truncatingIfNeeded: name.count), table: UInt8(number),
              binding: symbol.binding, kind: symbol.kind))
        }
        if symbol.isAbsolute, let name = table.name(symbol) { absolutes.insert(name.text) }
      }
    }
    entries = Self.sorted(entries)
    self.entries = entries
    self.absolutes = absolutes
    covering = Self.covering(entries, codeRange)
  }

  private static func sorted(_ entries: [Entry]) -> [Entry] {
    var order = entries.indices.map { (address: entries[$0].address, index: Int32($0)) }
    order.sort {
      if $0.address != $1.address { return $0.address < $1.address }
      let first = entries[Int($0.index)].size
      let second = entries[Int($1.index)].size
      return first != second ? first < second : $0.index < $1.index
    }
    return order.map { entries[Int($0.index)] }
  }

  /// The symbol of each address. A symbol without size extends to the next one.
  private static func covering(_ entries: [Entry], _ code: Range<UInt64>) -> IntervalMap {
    let base = code.lowerBound
    var intervals: [IntervalMap.Interval] = []
    intervals.reserveCapacity(entries.count)
    for index in entries.indices {
      let entry = entries[index]
      let next = index + 1 < entries.count ? entries[index + 1].address : code.upperBound
      if next == entry.address { continue }
      let (sum, overflow) = entry.address.addingReportingOverflow(entry.size)
      let end = entry.size == 0 ? next : overflow ? code.upperBound : min(sum, code.upperBound)
      guard let start = UInt32(exactly: entry.address - base), end > entry.address else { continue }
      intervals.append(
        .init(
          start: start, end: UInt32(clamping: end - base),
          value: Int32(truncatingIfNeeded: index)))
    }
    return IntervalMap(intervals)
  }

  /// Index of the symbol that represents the code at `address`.
  func index(containing address: UInt64) -> Int? {
    guard address >= base, let offset = UInt32(exactly: address - base) else { return nil }
    return covering.value(at: offset)
  }

  /// Indices of all symbols that start at `address`.
  func indices(at address: UInt64) -> Range<Int> {
    let start = entries.partitioningIndex { $0.address >= address }
    var end = start
    while end < entries.count, entries[end].address == address { end += 1 }
    return start..<end
  }

  func name(_ index: Int) -> String { bytes(index).text }

  private func bytes(_ index: Int) -> Bytes {
    let entry = entries[index]
    return Bytes(
      base: names[Int(entry.table)].base + Int(entry.nameOffset), count: Int(entry.nameCount))
  }

  func symbol(_ index: Int) -> Symbol {
    let entry = entries[index]
    return Symbol(
      name: name(index), address: entry.address, size: entry.size,
      isLocal: entry.binding == .local, isWeak: entry.binding == .weak)
  }

  /// Indices of all symbols with a name, rising.
  func indices(named wanted: String) -> [Int] {
    let order = byName.value { NameOrder(entries.indices.lazy.map(bytes)) }
    var wanted = wanted
    return wanted.withUTF8 { order.indices(of: Bytes(UnsafeRawBufferPointer($0)), bytes) }
  }
}

extension FunctionSymbols {
  /// Whether there is no function symbol.
  package var isEmpty: Bool { entries.isEmpty }

  /// All functions, sorted by address.
  package var all: [Symbol] { entries.indices.map(symbol) }

  /// The function that contains a link-time address.
  package func containing(_ address: UInt64) -> Symbol? { index(containing: address).map(symbol) }

  /// All names of the function that starts at a link-time address, best first.
  package func at(_ address: UInt64) -> [Symbol] { indices(at: address).reversed().map(symbol) }

  /// The functions with these names, sorted by address, one for each address.
  package func named(_ names: some Sequence<String>) -> [Symbol] {
    let found = names.flatMap(indices).filter { entries[$0].kind == .function }.sorted()
    var seen: Set<UInt64> = []
    return found.filter { seen.insert(entries[$0].address).inserted }.map(symbol)
  }

  /// Whether a function has this name.
  package func contains(_ name: String) -> Bool { !indices(named: name).isEmpty }

  /// Whether there is an absolute symbol of this name, as the linker option --defsym makes (ELF, section "Symbol
  /// Table", SHN_ABS).
  package func containsAbsolute(_ name: String) -> Bool { absolutes.contains(name) }

  /// The addresses at which functions start, rising.
  var starts: [UInt64] {
    var starts: [UInt64] = []
    for entry in entries where entry.address != starts.last { starts.append(entry.address) }
    return starts
  }
}
