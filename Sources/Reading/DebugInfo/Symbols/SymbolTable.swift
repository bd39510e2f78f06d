import CElfutils
import FirstlightModel
import Glibc

/// The function symbols of an image, sorted by address.
///
/// If an address has several names, the last entry represents it: the largest, and of equally large
/// ones the last in the file, as in llvm-symbolizer.
struct SymbolTable: Sendable {
  struct Entry: Sendable {
    var address: UInt64
    var size: UInt64
    var nameOffset: UInt32
    var nameCount: UInt32
    /// Index into `names`.
    var source: UInt8
    var binding: UInt8
    /// `notype`, `function` or `indirect`.
    var type: UInt8

    static let notype: UInt8 = 0
    static let function: UInt8 = 2
    /// STT_GNU_IFUNC: a resolver, which chooses a function.
    static let indirect: UInt8 = 10
  }

  static let empty = SymbolTable()

  /// A section of type SHT_SYMTAB or SHT_DYNSYM.
  struct Source {
    var symbols: Bytes
    var names: Bytes
    /// The sections of the symbols' file.
    var sections: [ELFSection]
  }

  let entries: [Entry]
  /// The names of each source.
  private let names: [Bytes]
  private let base: UInt64
  private let covering: IntervalMap

  private init() {
    entries = []
    names = []
    base = 0
    covering = IntervalMap([])
  }

  /// Reads symbols of one or several sources: functions, and symbols without type that have a size
  /// and lie in an executable section (assembler code).
  init(_ sources: [Source], codeRange: Range<UInt64>) {
    names = sources.map(\.names.terminated)
    base = codeRange.lowerBound
    var entries: [Entry] = []
    for (number, source) in sources.enumerated() {
      Self.read(source, names[number], UInt8(number), codeRange, &entries)
    }
    entries = Self.sorted(entries)
    self.entries = entries
    covering = Self.covering(entries, codeRange)
  }

  private static func read(
    _ source: Source, _ names: Bytes, _ number: UInt8, _ codeRange: Range<UInt64>,
    _ entries: inout [Entry]
  ) {
    let symbols = source.symbols.records(Elf64_Sym.self)
    let isExecutable = source.sections.map(\.isExecutable)
    let count = min(symbols.count, Int(Int32.max) - entries.count)
    entries.reserveCapacity(entries.count + count)
    for symbol in symbols.prefix(count) {
      let type = symbol.st_info & 15
      guard type == Entry.function || type == Entry.indirect || type == Entry.notype else {
        continue
      }
      let section = Int(symbol.st_shndx)
      guard section != 0, codeRange.contains(symbol.st_value) else { continue }
      if type == Entry.notype {
        guard symbol.st_size > 0, section < isExecutable.count, isExecutable[section] else {
          continue
        }
      }
      guard let name = names.cString(Int(symbol.st_name)), !name.isEmpty else { continue }
      entries.append(
        Entry(
          address: symbol.st_value, size: symbol.st_size, nameOffset: symbol.st_name,
          nameCount: UInt32(truncatingIfNeeded: countWithoutVersion(name)), source: number,
          binding: symbol.st_info >> 4, type: type))
    }
  }

  /// The length of a name without the version that GNU's linkers append (`@@GLIBC_2.34`).
  private static func countWithoutVersion(_ name: Bytes) -> Int {
    guard let version = memchr(name.base, 0x40, name.count) else { return name.count }
    let count = UnsafeRawPointer(version) - name.base
    return count > 0 ? count : name.count
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

  func name(_ index: Int) -> String {
    let entry = entries[index]
    return Bytes(
      base: names[Int(entry.source)].base + Int(entry.nameOffset), count: Int(entry.nameCount)
    ).text
  }

  func symbol(_ index: Int) -> Symbol {
    let entry = entries[index]
    return Symbol(
      name: name(index), address: entry.address, size: entry.size, isLocal: entry.binding == 0,
      isWeak: entry.binding == 2)
  }
}

/// One name of one function in an image's symbol table.
package struct Symbol: Hashable, Sendable {
  /// The linker's name.
  package var name: String
  /// Link-time address.
  package var address: UInt64
  /// Size in bytes; 0 if the symbol table has none.
  package var size: UInt64
  /// Whether the name is local to one object file.
  package var isLocal: Bool
  /// Whether another definition would have overridden this one.
  package var isWeak: Bool

  package init(name: String, address: UInt64, size: UInt64, isLocal: Bool, isWeak: Bool) {
    self.name = name
    self.address = address
    self.size = size
    self.isLocal = isLocal
    self.isWeak = isWeak
  }
}

/// A section of symbols and the section with their names.
struct SymbolSection: Sendable {
  let file: ELFFile
  let symbols: ELFSection
  let names: ELFSection

  var symbolBytes: Bytes { file.contents(symbols) }
  var nameBytes: Bytes { file.contents(names) }

  /// Releases the memory of the sections.
  func release() {
    file.file.release(symbolBytes)
    file.file.release(nameBytes)
  }
}
