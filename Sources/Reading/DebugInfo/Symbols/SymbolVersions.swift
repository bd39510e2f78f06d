import CElfutils

/// Names of symbol versions: `.gnu.version` has a number for each dynamic symbol, `.gnu.version_d`
/// and `.gnu.version_r` have the names of the numbers (Linux Standard Base, "Symbol Versioning").
struct SymbolVersions {
  private var names: [UInt16: String] = [:]
  private let numbers: Bytes

  init(_ elf: ELFFile) {
    numbers =
      elf.sections.first { $0.type == SHT_GNU_versym && $0.isAllocated }.map(elf.contents)
      ?? .empty
    guard let handle = elf.file.openELF() else { return }
    defer { elf_end(handle) }
    for section in elf.sections where section.isAllocated {
      guard section.type == SHT_GNU_verdef || section.type == SHT_GNU_verneed,
        let data = elf_getdata(elf_getscn(handle, section.index), nil)
      else { continue }
      func text(_ offset: Elf64_Word) -> String? {
        elf_strptr(handle, Int(section.link), Int(offset)).map { String(cString: $0) }
      }
      if section.type == SHT_GNU_verdef {
        readDefinitions(data, text)
      } else {
        readNeeds(data, text)
      }
    }
  }

  /// The version of a dynamic symbol, empty if it has none, and whether it differs from the default one.
  func version(ofSymbol index: Int) -> (name: String, isHidden: Bool) {
    guard let number = numbers.load(index &* 2, as: UInt16.self) else { return ("", false) }
    // 0 is local, 1 is global without a version.
    let place = number & 0x7fff
    return (place < 2 ? "" : names[place] ?? "", number & 0x8000 != 0)
  }

  private mutating func readDefinitions(
    _ data: UnsafeMutablePointer<Elf_Data>, _ text: (Elf64_Word) -> String?
  ) {
    var place: CInt = 0
    var entry = GElf_Verdef()
    var name = GElf_Verdaux()
    while gelf_getverdef(data, place, &entry) != nil {
      // The first name is the version's own; its parents' names follow.
      if gelf_getverdaux(data, place &+ CInt(bitPattern: entry.vd_aux), &name) != nil {
        names[entry.vd_ndx] = text(name.vda_name)
      }
      if entry.vd_next == 0 { return }
      place &+= CInt(bitPattern: entry.vd_next)
    }
  }

  private mutating func readNeeds(
    _ data: UnsafeMutablePointer<Elf_Data>, _ text: (Elf64_Word) -> String?
  ) {
    var place: CInt = 0
    var entry = GElf_Verneed()
    var version = GElf_Vernaux()
    while gelf_getverneed(data, place, &entry) != nil {
      var next = place &+ CInt(bitPattern: entry.vn_aux)
      for _ in 0..<entry.vn_cnt {
        guard gelf_getvernaux(data, next, &version) != nil else { break }
        names[version.vna_other & 0x7fff] = text(version.vna_name)
        next &+= CInt(bitPattern: version.vna_next)
      }
      if entry.vn_next == 0 { return }
      place &+= CInt(bitPattern: entry.vn_next)
    }
  }
}
