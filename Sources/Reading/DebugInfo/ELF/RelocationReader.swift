import CElfutils
import FirstlightModel

/// Walks the relocation tables that the loader applies at start.
///
/// Finds tables by section headers, and so also those of static programs (`.rela.plt` for IFUNCs). Layouts:
/// System V ABI, "Relocation"; packed tables: the generic ABI's `SHT_RELR`.
struct RelocationReader {
  private let elf: ELFFile
  private let loads: [ELFSegment]
  private var written: Set<UInt64> = []
  private var writtenBySection: [Int: Set<UInt64>] = [:]
  private var lastPage = UInt64.max
  private let targets: [ELFSection]
  private(set) var facts = RelocationFacts()

  static func facts(_ elf: ELFFile) -> RelocationFacts {
    var reader = RelocationReader(elf)
    for section in elf.sections where section.isAllocated {
      switch section.type {
      case ELFSection.rela: reader.read(Relocations(elf, section))
      case ELFSection.packedRelative: reader.readPacked(section)
      default: break
      }
    }
    reader.finish()
    return reader.facts
  }

  private init(_ elf: ELFFile) {
    self.elf = elf
    loads = elf.segments.filter { $0.type == ELFSegment.load }
    // `.tbss` occupies no memory: its addresses belong to the following sections.
    targets = elf.sections.filter {
      $0.isAllocated && $0.size > 0
        && !($0.type == ELFSection.nobits && $0.flags & UInt64(SHF_TLS) != 0)
    }
  }

  private mutating func read(_ table: Relocations) {
    var kinds: [UInt32: Int] = [:]
    var count = 0
    for relocation in table where relocation.kind != .none {
      kinds[relocation.number, default: 0] += 1
      count += 1
      note(relocation.place)
    }
    for (kind, count) in kinds {
      facts.counts[RelocationKind.name(kind, machine: elf.machine), default: 0] += count
    }
    facts.tables.append(
      .init(name: table.section.name, bytes: table.section.size, count: count))
  }

  /// An even word is an address; each odd one after it a bitmap of the 63 words that follow.
  private mutating func readPacked(_ section: ELFSection) {
    var cursor = ByteCursor(elf.contents(section))
    var next: UInt64 = 0
    var count = 0
    while cursor.remaining >= 8 {
      let word = cursor.u64()
      if word & 1 == 0 {
        note(word)
        count += 1
        next = word &+ 8
      } else {
        var bits = word >> 1
        var place = next
        while bits != 0 {
          if bits & 1 != 0 {
            note(place)
            count += 1
          }
          bits >>= 1
          place &+= 8
        }
        next = next &+ 63 &* 8
      }
    }
    facts.packed += count
    facts.counts[RelocationKind.relative(machine: elf.machine), default: 0] += count
    facts.tables.append(.init(name: section.name, bytes: section.size, count: count))
  }

  /// Notes that the loader writes the word at `address`.
  private mutating func note(_ address: UInt64) {
    let page = address / PageSize.reported
    // Adjacent words mostly share a page, but sections may begin anywhere, so only exact repeats are skipped.
    if page == lastPage, let last = lastTarget, last.contains(address) { return }
    guard loads.contains(where: { address >= $0.address && address &- $0.address < $0.memorySize })
    else {
      facts.isDamaged = true
      return
    }
    lastPage = page
    written.insert(page)
    lastTarget = nil
    if let section = targets.first(where: { address >= $0.address && address < $0.end }) {
      writtenBySection[section.index, default: []].insert(page)
      lastTarget = section.address..<section.end
    }
  }

  private var lastTarget: Range<UInt64>?

  private mutating func finish() {
    facts.dirtiedPagesInAll = written.count
    for (index, pages) in writtenBySection {
      facts.dirtiedPages[elf.sections[index].name, default: 0] += pages.count
    }
  }
}

/// Names of relocation kinds from the processors' ABI supplements.
enum RelocationKind {
  static func name(_ kind: UInt32, machine: UInt16) -> String {
    let isArm = machine == ELFFile.aarch64
    let known = (isArm ? aarch64 : amd64)[Int32(bitPattern: kind)]
    return (isArm ? "R_AARCH64_" : "R_X86_64_") + (known ?? "\(kind)")
  }

  static func relative(machine: UInt16) -> String {
    machine == ELFFile.aarch64 ? "R_AARCH64_RELATIVE" : "R_X86_64_RELATIVE"
  }

  private static let amd64: [Int32: String] = [
    R_X86_64_64: "64", R_X86_64_COPY: "COPY", R_X86_64_GLOB_DAT: "GLOB_DAT",
    R_X86_64_JUMP_SLOT: "JUMP_SLOT", R_X86_64_RELATIVE: "RELATIVE", R_X86_64_DTPMOD64: "DTPMOD64",
    R_X86_64_DTPOFF64: "DTPOFF64", R_X86_64_TPOFF64: "TPOFF64", R_X86_64_TLSDESC: "TLSDESC",
    R_X86_64_IRELATIVE: "IRELATIVE",
  ]
  private static let aarch64: [Int32: String] = [
    R_AARCH64_ABS64: "ABS64", R_AARCH64_COPY: "COPY", R_AARCH64_GLOB_DAT: "GLOB_DAT",
    R_AARCH64_JUMP_SLOT: "JUMP_SLOT", R_AARCH64_RELATIVE: "RELATIVE",
    R_AARCH64_TLS_DTPMOD: "TLS_DTPMOD64", R_AARCH64_TLS_DTPREL: "TLS_DTPREL64",
    R_AARCH64_TLS_TPREL: "TLS_TPREL64", R_AARCH64_TLSDESC: "TLSDESC",
    R_AARCH64_IRELATIVE: "IRELATIVE",
  ]
}
