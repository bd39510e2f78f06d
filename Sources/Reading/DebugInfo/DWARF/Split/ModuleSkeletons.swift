import CElfutils

/// Hides units for C modules that Swift code imports: an entry that names a `.pcm` file, no children, no
/// code (at most a line table of files). Swift makes several for each source file: most units of a program.
///
/// libdw indexes all units before a requested one, with their abbreviations: that took a sixth of the time
/// and a third of the memory of resolving addresses of a Swift server. Nothing can refer to these units. So
/// each run of them becomes part of the unit before it, whose own entries still end at their old end.
struct ModuleSkeletons {
  private struct Kind: Hashable {
    var abbreviations: UInt64
    var code: UInt64
  }

  private let dwarf: OpaquePointer
  private let info: Bytes
  private var known: [Kind: Bool] = [:]

  /// - Parameter file: a file whose debug sections are not compressed.
  init?(_ handle: DWARFHandle, _ file: ELFFile) {
    guard let section = file.section(".debug_info") else { return nil }
    dwarf = handle.dwarf
    info = file.contents(section)
  }

  /// Hides the skeletons from handles that have not read units yet; returns the remaining units.
  mutating func hide(_ units: [DWARFUnit]) -> [DWARFUnit] {
    var left: [DWARFUnit] = []
    for unit in units {
      if let last = left.last, isSkeleton(unit), extend(last, to: unit.end) { continue }
      left.append(unit)
    }
    return left
  }

  /// Changes the end in a unit's header; false if its length field does not have the usual four bytes.
  private func extend(_ unit: DWARFUnit, to end: UInt64) -> Bool {
    guard let length = info.load(Int(unit.offset), as: UInt32.self), length < 0xffff_fff0,
      let longer = UInt32(exactly: end - unit.offset - 4), longer < 0xffff_fff0
    else { return false }
    UnsafeMutableRawPointer(mutating: info.base + Int(unit.offset))
      .storeBytes(of: longer, as: UInt32.self)
    return true
  }

  private mutating func isSkeleton(_ unit: DWARFUnit) -> Bool {
    var cursor = ByteCursor(info, at: Int(unit.entry))
    let kind = Kind(abbreviations: unit.abbreviations, code: cursor.uleb())
    guard !cursor.failed, kind.code != 0 else { return false }
    if let known = known[kind] { return known }
    let result = isSkeleton(kind)
    known[kind] = result
    return result
  }

  /// Whether a first entry of this kind names another file and has neither children nor code.
  private func isSkeleton(_ kind: Kind) -> Bool {
    // libdw fills in an opaque structure, of 24 bytes in version 0.188.
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      let abbreviation = OpaquePointer(memory.baseAddress!)
      var offset = kind.abbreviations
      var length = 0
      while dwarf_offabbrev(dwarf, offset, &length, abbreviation) == 0, length > 0 {
        if UInt64(dwarf_getabbrevcode(abbreviation)) == kind.code {
          return dwarf_abbrevhaschildren(abbreviation) == 0 && Self.namesModule(abbreviation)
        }
        offset += UInt64(length)
      }
      return false
    }
  }

  private static func namesModule(_ abbreviation: OpaquePointer) -> Bool {
    var name: UInt32 = 0
    var form: UInt32 = 0
    var index = 0
    var namesFile = false
    while dwarf_getabbrevattr(abbreviation, index, &name, &form, nil) == 0 {
      switch name {
      case Attribute.lowPC, Attribute.ranges: return false
      case Attribute.splitName, Attribute.gnuSplitName: namesFile = true
      default: break
      }
      index += 1
    }
    return namesFile
  }
}
