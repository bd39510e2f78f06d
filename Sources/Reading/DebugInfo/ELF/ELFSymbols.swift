import CElfutils

/// The symbols of one table of an ELF file (System V ABI, "Symbol Table"). Each is decoded when it is asked for, so
/// that the table takes no memory of its own.
struct ELFSymbols: RandomAccessCollection, Sendable {
  let file: ELFFile
  /// The section of the table.
  let section: ELFSection
  /// The section of the names.
  private let texts: ELFSection
  private let records: Records<Elf64_Sym>
  /// The names, up to the last one that ends.
  let names: Bytes

  /// Nil if the number is no section's, or the section has no section of names.
  init?(_ file: ELFFile, section number: Int) {
    guard number < file.sections.count, Int(file.sections[number].link) < file.sections.count
    else { return nil }
    self.file = file
    section = file.sections[number]
    texts = file.sections[Int(section.link)]
    records = file.contents(section).records(Elf64_Sym.self)
    names = file.contents(texts).terminated
  }

  var startIndex: Int { 0 }
  var endIndex: Int { records.endIndex }

  @inline(__always)
  subscript(index: Int) -> ELFSymbol { ELFSymbol(records[index]) }

  /// A symbol's name; nil if it has none.
  @inline(__always)
  func name(_ symbol: ELFSymbol) -> Bytes? {
    guard let name = names.cString(Int(symbol.nameOffset)), !name.isEmpty else { return nil }
    return name
  }

  /// Releases the memory of the sections; a later read maps them again.
  func release() {
    file.file.release(file.contents(section))
    file.file.release(file.contents(texts))
  }
}

/// One entry of a symbol table.
struct ELFSymbol: Sendable {
  enum Kind: UInt8, Sendable {
    /// As in assembler code that gives no type.
    case untyped = 0
    case object = 1
    case function = 2
    case section = 3
    /// STT_GNU_IFUNC: a resolver, which chooses a function.
    case indirect = 10
    case other = 255
  }

  enum Binding: UInt8, Sendable {
    case local = 0
    case global = 1
    case weak = 2
    case other = 255
  }

  let nameOffset: UInt32
  let kind: Kind
  let binding: Binding
  /// Whether other images' definitions may take its place (STV_DEFAULT).
  let hasDefaultVisibility: Bool
  /// Index of the section, or a reserved number.
  let section: Int
  /// Link-time address; of an absolute symbol, any number.
  let value: UInt64
  let size: UInt64

  @inline(__always)
  init(_ record: Elf64_Sym) {
    nameOffset = record.st_name
    kind = Kind(rawValue: record.st_info & 15) ?? .other
    binding = Binding(rawValue: record.st_info >> 4) ?? .other
    hasDefaultVisibility = record.st_other & 3 == 0
    section = Int(record.st_shndx)
    value = record.st_value
    size = record.st_size
  }

  var isDefined: Bool { section != 0 }
  /// Whether the value is no address (SHN_ABS).
  var isAbsolute: Bool { section == 0xfff1 }
}
