/// One section header of an ELF file, 64-bit (System V ABI, chapter 4).
struct ELFSection: Sendable {
  let name: String
  let index: Int
  let type: UInt32
  let flags: UInt64
  let address: UInt64
  let offset: UInt64
  let size: UInt64
  let link: UInt32
  /// Another related section. Relocations: the section that they change.
  let info: UInt32
  let alignment: UInt64
  let entrySize: UInt64

  static let progbits: UInt32 = 1
  static let symbolTable: UInt32 = 2
  static let stringTable: UInt32 = 3
  static let rela: UInt32 = 4
  static let note: UInt32 = 7
  static let nobits: UInt32 = 8
  static let rel: UInt32 = 9
  static let dynamicSymbols: UInt32 = 11
  static let initArray: UInt32 = 14
  static let preinitArray: UInt32 = 16
  static let sectionIndices: UInt32 = 18
  static let packedRelative: UInt32 = 19

  static let compressedFlag: UInt64 = 0x800

  var isAllocated: Bool { flags & 0x2 != 0 }
  var isExecutable: Bool { flags & 0x4 != 0 && isAllocated }
  var isCompressed: Bool { flags & Self.compressedFlag != 0 }
  /// Whether a linker keeps or drops the section with the others of a group (COMDAT).
  var isInGroup: Bool { flags & 0x200 != 0 }
  /// Whether the name is one of debug information.
  var isDebug: Bool { !isAllocated && (name.hasPrefix(".debug_") || name.hasPrefix(".zdebug_")) }
  /// Whether the section contains code.
  var hasCode: Bool { isExecutable && hasContents && size > 0 }
  var hasContents: Bool { type != Self.nobits && type != 0 }
  var end: UInt64 { address &+ size }
}

/// One program header of an ELF file, 64-bit (System V ABI, chapter 5).
struct ELFSegment: Sendable {
  let type: UInt32
  let flags: UInt32
  let offset: UInt64
  let address: UInt64
  let fileSize: UInt64
  let memorySize: UInt64

  static let load: UInt32 = 1
  static let dynamic: UInt32 = 2
  static let interpreter: UInt32 = 3
  static let note: UInt32 = 4

  var isExecutable: Bool { flags & 1 != 0 }
}

/// The table of an ELF file's section names, each text once: headers may share names, or ends of names.
struct SectionNames {
  private let table: Bytes
  private var names: [UInt32: String] = [:]
  private var budget: Int

  /// - Parameter table: the section of names. Bytes after its last NUL are ignored.
  init(_ table: Bytes) {
    self.table = table.terminated
    // Linkers let a name be the end of another: `.text` in `.rela.text`.
    budget = 4096 + table.count * 4
  }

  /// Whether all names together are longer than any linker makes them.
  var isExcessive: Bool { budget < 0 }

  /// The name at an offset; empty if it is outside, or once names are excessive.
  mutating func name(at offset: UInt32) -> String {
    if let name = names[offset] { return name }
    guard !isExcessive, let bytes = table.cString(Int(offset)) else { return "" }
    budget -= bytes.count
    let name = bytes.text
    names[offset] = name
    return name
  }
}
