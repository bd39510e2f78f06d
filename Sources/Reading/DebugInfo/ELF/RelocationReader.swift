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
