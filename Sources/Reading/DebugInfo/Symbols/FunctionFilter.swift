import Glibc

/// The symbols of a table that stand for functions: functions, and symbols without type that have a size and lie in an
/// executable section (assembler code).
struct FunctionFilter {
  private let table: ELFSymbols
  private let codeRange: Range<UInt64>
  private let isExecutable: [Bool]

  init(_ table: ELFSymbols, codeRange: Range<UInt64>) {
    self.table = table
    self.codeRange = codeRange
    isExecutable = table.file.sections.map(\.isExecutable)
  }

  /// The name of a function, without the version that GNU's linkers append (`@@GLIBC_2.34`); nil for other symbols.
  @inline(__always)
  func name(_ symbol: ELFSymbol) -> Bytes? {
    guard symbol.isDefined, codeRange.contains(symbol.value) else { return nil }
    switch symbol.kind {
    case .function, .indirect: break
    case .untyped:
      guard symbol.size > 0, symbol.section < isExecutable.count, isExecutable[symbol.section]
      else { return nil }
    case .object, .section, .other: return nil
    }
    guard let name = table.name(symbol) else { return nil }
    guard let version = memchr(name.base, 0x40, name.count) else { return name }
    let count = UnsafeRawPointer(version) - name.base
    return count > 0 ? Bytes(base: name.base, count: count) : name
  }
}
