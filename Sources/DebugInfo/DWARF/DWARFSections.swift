/// The debug sections of one ELF file, inflated where they are compressed.
///
/// Formats: DWARF Debugging Information Format, versions 4 and 5.
struct DWARFSections: Sendable {
  let info: Bytes
  let abbreviations: Bytes
  let line: Bytes
  let strings: Bytes
  let lineStrings: Bytes
  let stringOffsets: Bytes
  let addresses: Bytes
  let ranges: Bytes
  let rangeLists: Bytes
  /// Names of sections that are there but couldn't be inflated.
  let unreadable: [String]
  private let owners: [Decompressed]

  init(_ elf: ELFFile) {
    var owners: [Decompressed] = []
    var unreadable: [String] = []
    func contents(_ name: String) -> Bytes {
      guard let section = elf.section(name) else { return .empty }
      guard section.isCompressed else { return elf.contents(section) }
      guard let inflated = Decompressed(section, of: elf) else {
        unreadable.append(name)
        return .empty
      }
      owners.append(inflated)
      return inflated.bytes
    }
    info = contents(".debug_info")
    abbreviations = contents(".debug_abbrev")
    line = contents(".debug_line")
    strings = contents(".debug_str")
    lineStrings = contents(".debug_line_str")
    stringOffsets = contents(".debug_str_offsets")
    addresses = contents(".debug_addr")
    ranges = contents(".debug_ranges")
    rangeLists = contents(".debug_rnglists")
    self.owners = owners
    self.unreadable = unreadable
  }

  /// Whether a file has anything for these sections to read.
  static func exist(in elf: ELFFile) -> Bool {
    guard let info = elf.section(".debug_info") else { return false }
    return info.hasContents && info.size > 0
  }
}
