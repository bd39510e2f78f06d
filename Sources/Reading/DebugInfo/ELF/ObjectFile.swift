import FirstlightModel
import Glibc

/// Opens the file that a path names, including object files and members of archives.
///
/// An object file is read as if a linker had placed it alone: see `ObjectLayout`.
struct ObjectFile {
  let elf: ELFFile
  /// Unreadable parts of its debug information, for people.
  private(set) var problems: [String] = []

  /// Opens a linked file, an object file, or `ARCHIVE(MEMBER)` as linkers write it. An existing file with
  /// exactly this name takes precedence.
  ///
  /// Throws as `MappedFile` and `ELFFile`.
  init(path: String) throws(Failure) {
    guard let (archive, member) = Archive.split(path) else {
      let file = try MappedFile(path: path)
      if Archive.isOne(file.bytes) { throw Archive.wantsMember(file) }
      try self.init(file, file.bytes, path: path, isMember: false)
      return
    }
    let file = try MappedFile(path: archive)
    let (part, count) = try Archive.member(member, of: file, path: path)
    try self.init(file, part, path: path, isMember: true)
    if count > 1 {
      problems.append("the archive has \(count) members of this name; this is the first")
    }
  }

  private init(
    _ file: MappedFile, _ part: Bytes, path: String, isMember: Bool
  ) throws(Failure) {
    // ET_REL (System V ABI, chapter 4).
    guard isMember || part.load(16, as: UInt16.self) == 1 else {
      elf = try ELFFile(file)
      return
    }
    let copy = try ELFFile(
      MappedFile(copyOf: part, of: file, path: path), isPart: true)
    guard copy.isRelocatable else {
      elf = copy
      return
    }
    let stored = copy.sections.reduce(0) { $0 &+ copy.contents($1).count }
    // Without this limit, overlapping sections would let a small file cause much work.
    guard stored <= part.count else {
      throw Failure(
        .data, "\(path): damaged ELF file: its sections overlap", advice: "copy or build it again")
    }
    let inflated = try InflatedObject.inflate(copy)
    let layout = ObjectLayout(inflated)
    layout.place()
    var relocations = ObjectRelocations(try ELFFile(inflated.file, isPart: true))
    relocations.apply()
    elf = relocations.elf
    problems = relocations.problems
  }
}

/// Gives the sections of an object file addresses, as a linker would. Code sections follow one another from 0,
/// in file order, so addresses are those of nm if there is one code section. Data follows the code. Debug
/// sections stay at 0, so references to them are offsets.
struct ObjectLayout {
  private let elf: ELFFile
  /// By section.
  private let addresses: [UInt64]

  /// - Parameter elf: an object file in private memory.
  init(_ elf: ELFFile) {
    self.elf = elf
    var addresses = [UInt64](repeating: 0, count: elf.sections.count)
    var end: UInt64 = 0
    let code = elf.sections.filter(\.hasCode)
    let data = elf.sections.filter { $0.isAllocated && !$0.hasCode }
    for section in code + data {
      // The limit is a huge page: larger alignments are not genuine.
      let alignment = min(max(1, section.alignment), 1 << 21)
      end = (end &+ alignment &- 1) / alignment * alignment
      addresses[section.index] = end
      end &+= min(section.size, UInt64(UInt32.max))
    }
    self.addresses = addresses
  }

  /// Writes the addresses to the section headers, and adds them to the values of symbols.
  func place() {
    let editor = SectionHeaderEditor(elf.file)
    for section in elf.sections {
      if section.isAllocated {
        editor.setAddress(addresses[section.index], of: section.index)
      } else if section.isDebug, section.isInGroup {
        // Sections of type descriptions, of which a file has several, share names with other sections.
        editor.setType(0, of: section.index)
      }
      if section.type == ELFSection.symbolTable { placeSymbols(section) }
    }
  }

  private func placeSymbols(_ table: ELFSection) {
    let symbols = elf.contents(table)
    let indices = elf.sections.first {
      $0.type == ELFSection.sectionIndices && Int($0.link) == table.index
    }.map(elf.contents)
    for number in 0..<(symbols.count / 24) {
      let symbol = symbols.base + number &* 24
      var section = Int(symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
      // SHN_XINDEX: past 65,279 sections the index is in a table of its own.
      if section == 0xffff {
        section = indices?.load(number &* 4, as: UInt32.self).map(Int.init) ?? 0
      } else if section >= 0xff00 {
        continue
      }
      guard section > 0, section < addresses.count else { continue }
      let value = symbol.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      UnsafeMutableRawPointer(mutating: symbol)
        .storeBytes(of: value &+ addresses[section], toByteOffset: 8, as: UInt64.self)
    }
  }
}
