import CElfutils

/// One relocation.
struct Relocation: Sendable {
  enum Kind: Sendable {
    /// Does nothing.
    case none
    /// Adds the load bias to the addend.
    case relative
    /// A symbol's address plus the addend.
    case absolute
    /// A symbol's address, for code that loads it.
    case slot
    /// The address of a function, for its stub.
    case call
    /// Copies a library's variable.
    case copy
    /// The distance of a symbol from the place, in code of x86-64.
    case distance
    case other
  }

  /// Link-time address of the changed place.
  let place: UInt64
  let kind: Kind
  /// `R_X86_64_...` or `R_AARCH64_...`.
  let number: UInt32
  /// Index into the table of symbols.
  let symbol: Int
  let addend: UInt64

  @inline(__always)
  init(_ record: Elf64_Rela, machine: UInt16) {
    place = record.r_offset
    number = UInt32(truncatingIfNeeded: record.r_info)
    kind = machine == ELFFile.aarch64 ? Self.armKind(number) : Self.intelKind(number)
    symbol = Int(record.r_info >> 32)
    addend = UInt64(bitPattern: record.r_addend)
  }

  private static func intelKind(_ number: UInt32) -> Kind {
    switch Int32(bitPattern: number) {
    case R_X86_64_NONE: .none
    case R_X86_64_RELATIVE: .relative
    case R_X86_64_64: .absolute
    case R_X86_64_GLOB_DAT: .slot
    case R_X86_64_JUMP_SLOT: .call
    case R_X86_64_COPY: .copy
    case R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX,
      R_X86_64_REX_GOTPCRELX:
      .distance
    default: .other
    }
  }

  private static func armKind(_ number: UInt32) -> Kind {
    switch Int32(bitPattern: number) {
    case R_AARCH64_NONE: .none
    case R_AARCH64_RELATIVE: .relative
    case R_AARCH64_ABS64: .absolute
    case R_AARCH64_GLOB_DAT: .slot
    case R_AARCH64_JUMP_SLOT: .call
    case R_AARCH64_COPY: .copy
    default: .other
    }
  }
}
