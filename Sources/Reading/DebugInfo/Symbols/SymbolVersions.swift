/// Names of symbol versions: `.gnu.version` has a number for each dynamic symbol, `.gnu.version_d`
/// and `.gnu.version_r` have the names of the numbers (Linux Standard Base, "Symbol Versioning").
struct SymbolVersions {
  private var names: [UInt16: String] = [:]
  private let numbers: Bytes

  private static let definitions: UInt32 = 0x6fff_fffd
  private static let needs: UInt32 = 0x6fff_fffe
  private static let symbols: UInt32 = 0x6fff_ffff

  init(_ elf: ELFFile) {
    numbers =
      elf.sections.first { $0.type == Self.symbols && $0.isAllocated }.map(elf.contents) ?? .empty
    for section in elf.sections where section.isAllocated && Int(section.link) < elf.sections.count
    {
      let strings = elf.contents(elf.sections[Int(section.link)])
      switch section.type {
      case Self.definitions: readDefinitions(elf.contents(section), strings)
      case Self.needs: readNeeds(elf.contents(section), strings)
      default: break
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

  private mutating func readDefinitions(_ table: Bytes, _ strings: Bytes) {
    var place = 0
    while true {
      var entry = ByteCursor(table, at: place)
      entry.skip(4)
      let number = entry.u16()
      entry.skip(2 + 4)
      let auxiliary = Int(entry.u32())
      let next = Int(entry.u32())
      // The first name is the version's own; its parents' names follow.
      guard !entry.failed, let name = table.load(place + auxiliary, as: UInt32.self) else { return }
      names[number] = strings.cString(Int(name))?.text
      // Each step moves forward, so this loop ends.
      if next == 0 { return }
      place += next
    }
  }

  private mutating func readNeeds(_ table: Bytes, _ strings: Bytes) {
    var place = 0
    // In a damaged table, entries may overlap: the number of whole entries limits the steps.
    var steps = table.count / 16
    while steps > 0 {
      var entry = ByteCursor(table, at: place)
      entry.skip(2)
      let count = entry.u16()
      entry.skip(4)
      var auxiliary = place + Int(entry.u32())
      let next = Int(entry.u32())
      guard !entry.failed else { return }
      for _ in 0..<count {
        var version = ByteCursor(table, at: auxiliary)
        version.skip(4 + 2)
        let number = version.u16()
        let name = Int(version.u32())
        let further = Int(version.u32())
        steps -= 1
        guard !version.failed, steps > 0 else { return }
        names[number & 0x7fff] = strings.cString(name)?.text
        if further == 0 { break }
        auxiliary += further
      }
      if next == 0 { return }
      place += next
    }
  }
}
