import CElfutils

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
