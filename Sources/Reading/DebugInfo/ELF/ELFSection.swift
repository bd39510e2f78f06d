import CElfutils

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

  static let symbolTable = UInt32(SHT_SYMTAB)
  static let rela = UInt32(SHT_RELA)
  static let nobits = UInt32(SHT_NOBITS)
  static let dynamicSymbols = UInt32(SHT_DYNSYM)
  static let initArray = UInt32(SHT_INIT_ARRAY)
  static let preinitArray = UInt32(SHT_PREINIT_ARRAY)
  /// SHT_RELR, which older headers lack.
  static let packedRelative: UInt32 = 19

  var isAllocated: Bool { flags & UInt64(SHF_ALLOC) != 0 }
  var isExecutable: Bool { flags & UInt64(SHF_EXECINSTR) != 0 && isAllocated }
  var isCompressed: Bool { flags & UInt64(SHF_COMPRESSED) != 0 }
  /// Whether the name is one of debug information.
  var isDebug: Bool {
    !isAllocated && (name.begins(with: ".debug_") || name.begins(with: ".zdebug_"))
  }
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

  static let load = UInt32(PT_LOAD)
  static let dynamic = UInt32(PT_DYNAMIC)
  static let interpreter = UInt32(PT_INTERP)

  var isExecutable: Bool { flags & UInt32(PF_X) != 0 }
}
