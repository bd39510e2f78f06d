import CElfutils

/// Applies the relocations of an object file's debug sections, because libdw does not (ELF for x86-64 and for
/// the Arm 64-bit architecture, "Relocation").
struct ObjectRelocations {
  /// The computation of the bytes at a place.
  private enum Form {
    /// The symbol's address plus the addend, with this number of bytes.
    case absolute(Int)
    /// The same, relative to the place.
    case relative(Int)
    /// Unchanged: no operation, or a thread-local variable.
    case ignored
    case unknown
  }

  let elf: ELFFile
  /// Skipped relocations, for people.
  private(set) var problems: [String] = []

  /// SHT_CREL, an option of LLVM 20.
  private static let compact: UInt32 = 0x4000_0014

  /// - Parameter elf: an object file in private memory that `ObjectLayout` has placed. Its sections, together,
  ///   are no larger than the file, which limits the work.
  init(_ elf: ELFFile) { self.elf = elf }

  mutating func apply() {
    var unknown = 0
    for section in elf.sections where Int(section.info) < elf.sections.count {
      let target = elf.sections[Int(section.info)]
      guard target.isDebug, target.hasContents, !target.isCompressed else { continue }
      switch section.type {
      case ELFSection.rela: apply(section, to: target, &unknown)
      case ELFSection.rel, Self.compact:
        problems.append("\(target.name) has relocations of a form that is not read")
      default: break
      }
    }
    if unknown > 0 {
      problems.append(
        "its debug information is incomplete: \(unknown) relocations of unknown kinds are left out")
    }
  }

  private func apply(_ section: ELFSection, to target: ELFSection, _ unknown: inout Int) {
    guard Int(section.link) < elf.sections.count,
      elf.sections[Int(section.link)].type == ELFSection.symbolTable
    else { return }
    let symbols = elf.contents(elf.sections[Int(section.link)]).records(Elf64_Sym.self)
    let contents = elf.contents(target)
    for relocation in elf.contents(section).records(Elf64_Rela.self) {
      let symbol = Int(relocation.r_info >> 32)
      guard symbol < symbols.count else {
        unknown += 1
        continue
      }
      let offset = relocation.r_offset
      let value = symbols[symbol].st_value &+ UInt64(bitPattern: relocation.r_addend)
      switch form(UInt32(truncatingIfNeeded: relocation.r_info)) {
      case .absolute(let size): Self.store(value, size, at: offset, in: contents)
      case .relative(let size):
        Self.store(value &- target.address &- offset, size, at: offset, in: contents)
      case .ignored: break
      case .unknown: unknown += 1
      }
    }
  }

  private func form(_ kind: UInt32) -> Form {
    if elf.machine == ELFFile.aarch64 {
      switch kind {
      // R_AARCH64_ABS64, ABS32, PREL64, PREL32.
      case 257: return .absolute(8)
      case 258: return .absolute(4)
      case 260: return .relative(8)
      case 261: return .relative(4)
      // R_AARCH64_NONE (two values), TLS_DTPREL64.
      case 0, 256, 1029: return .ignored
      default: return .unknown
      }
    }
    switch kind {
    // R_X86_64_64, 32, 32S, PC64, PC32.
    case 1: return .absolute(8)
    case 10, 11: return .absolute(4)
    case 24: return .relative(8)
    case 2: return .relative(4)
    // R_X86_64_NONE, DTPOFF64, DTPOFF32.
    case 0, 17, 21: return .ignored
    default: return .unknown
    }
  }

  /// Writes the low bytes of a value, if the whole place is inside.
  private static func store(_ value: UInt64, _ size: Int, at offset: UInt64, in contents: Bytes) {
    guard let place = contents.slice(offset, UInt64(size)) else { return }
    let memory = UnsafeMutableRawPointer(mutating: place.base)
    if size == 8 {
      memory.storeBytes(of: value, as: UInt64.self)
    } else {
      memory.storeBytes(of: UInt32(truncatingIfNeeded: value), as: UInt32.self)
    }
  }
}
