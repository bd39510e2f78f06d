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
  /// What else it refers to: of relocations the section that they change.
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
  /// Whether a linker keeps it or drops it with the others of a group (COMDAT).
  var isInGroup: Bool { flags & 0x200 != 0 }
  /// Whether it has debug information, by its name.
  var isDebug: Bool { !isAllocated && (name.hasPrefix(".debug_") || name.hasPrefix(".zdebug_")) }
  /// Whether it holds code.
  var hasCode: Bool { isExecutable && hasContents && size > 0 }
  var hasContents: Bool { type != Self.nobits && type != 0 }
  var end: UInt64 { address &+ size }
}
