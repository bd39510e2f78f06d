import CElfutils

/// The entries of a unit that the compiler wrote to a separate file (`.dwo`; DWARF 5, section
/// 7.3.2). The rest of the unit stays in the program: the skeleton, with numbered addresses, lines
/// and files.
///
/// libdw joins the two only if it opened the `.dwo` file itself, at the program's path for it. So
/// this type reads the entries' addresses and lists of ranges.
struct SplitUnit {
  /// The handle on the `.dwo` file.
  let handle: DWARFHandle
  /// The unit's first entry in the `.dwo` file.
  let facts: DWARFUnit
  /// The first entry.
  let root: Dwarf_Die
  private let end: UnsafeRawPointer
  private let version: Dwarf_Half
  private let offsetSize: UInt8
  /// The skeleton's addresses, from the first numbered one.
  private let addresses: Bytes
  /// The base of ranges that name no other base address.
  private let base: UInt64
  /// The lists of ranges that the unit's offsets and indices refer to.
  private let rangeLists: Bytes
  private let rangeListsBase: UInt64

  /// - Parameters:
  ///   - facts: the unit in the `.dwo` file.
  ///   - root: the first entry in the `.dwo` file.
  ///   - skeleton: the first entry of the program's unit.
  ///   - sections: the program's sections.
  init(
    _ facts: DWARFUnit, root: Dwarf_Die, _ handle: DWARFHandle, skeleton: inout Dwarf_Die,
    _ sections: DebugSections
  ) {
    self.handle = handle
    self.facts = facts
    self.root = root
    end = UnsafeRawPointer(root.addr) + Int(facts.end - facts.entry)
    var version: Dwarf_Half = 0
    var offsetSize: UInt8 = 0
    dwarf_cu_info(root.cu, &version, nil, nil, nil, nil, nil, &offsetSize)
    self.version = version
    self.offsetSize = offsetSize
    func offset(_ attribute: UInt32) -> UInt64? {
      var found = Dwarf_Attribute()
      var value: Dwarf_Word = 0
      return dwarf_attr(&skeleton, attribute, &found) != nil
        && dwarf_formudata(&found, &value) == 0 ? value : nil
    }
    func part(_ section: Bytes, from start: UInt64) -> Bytes {
      let start = min(start, UInt64(section.count))
      return section.slice(start, UInt64(section.count) - start) ?? .empty
    }
    var base: Dwarf_Addr = 0
    self.base = dwarf_lowpc(&skeleton, &base) == 0 ? base : 0
    if version >= 5 {
      // Without the attribute, the table follows the section's first header.
      addresses = part(sections.addresses, from: offset(Attribute.addressBase) ?? 8)
      let own = handle.sections.rangeLists
      rangeLists = own.isEmpty ? sections.rangeLists : own
      rangeListsBase = 0
    } else {
      addresses = part(sections.addresses, from: offset(Attribute.gnuAddressBase) ?? 0)
      rangeLists = sections.ranges
      rangeListsBase = offset(Attribute.gnuRangesBase) ?? 0
    }
  }

  /// The unit's entries.
  var entries: EntryCursor { EntryCursor(below: root, end: end) }

  /// Releases the memory of the unit's entries.
  func releaseEntries() {
    handle.file?.release(
      Bytes(base: UnsafeRawPointer(root.addr), count: end - UnsafeRawPointer(root.addr)))
  }

  /// The address that an attribute refers to by index; nil for other forms.
  func address(_ attribute: Dwarf_Attribute) -> UInt64? {
    var cursor = operand(attribute)
    let index: UInt64
    switch Int(attribute.form) {
    case DW_FORM_addrx, DW_FORM_GNU_addr_index: index = cursor.uleb()
    case DW_FORM_addrx1: index = UInt64(cursor.u8())
    case DW_FORM_addrx2: index = UInt64(cursor.u16())
    case DW_FORM_addrx3: index = UInt64(cursor.u24())
    case DW_FORM_addrx4: index = UInt64(cursor.u32())
    default: return nil
    }
    return cursor.failed ? nil : address(index)
  }

  private func address(_ index: UInt64) -> UInt64? {
    index < UInt64(addresses.count) / 8 ? addresses.load(Int(index) * 8, as: UInt64.self) : nil
  }

  /// The bytes from an attribute's value to the end of the unit.
  private func operand(_ attribute: Dwarf_Attribute) -> ByteCursor {
    guard let place = attribute.valp.map({ UnsafeRawPointer($0) }),
      place >= UnsafeRawPointer(root.addr), place < end
    else { return ByteCursor(.empty) }
    return ByteCursor(Bytes(base: place, count: end - place))
  }

  /// Calls `body` with each range of an entry's list (`DW_AT_ranges`), link-time addresses, until
  /// it returns false.
  func forEachRange(of entry: inout Dwarf_Die, _ body: (UInt64, UInt64) -> Bool) {
    var attribute = Dwarf_Attribute()
    guard dwarf_attr(&entry, Attribute.ranges, &attribute) != nil,
      let offset = listOffset(attribute), offset < UInt64(rangeLists.count)
    else { return }
    let list = ByteCursor(rangeLists, at: Int(offset))
    if version >= 5 { readList(list, body) } else { readPairs(list, body) }
  }

  /// The offset of a list in `rangeLists`.
  private func listOffset(_ attribute: Dwarf_Attribute) -> UInt64? {
    var cursor = operand(attribute)
    switch Int(attribute.form) {
    case DW_FORM_rnglistx: return listOffset(cursor.uleb())
    case DW_FORM_sec_offset:
      // libdw would read the list from the `.dwo` file.
      let offset = cursor.offset(is64Bit: offsetSize == 8)
      let (sum, overflow) = offset.addingReportingOverflow(rangeListsBase)
      return cursor.failed || overflow ? nil : sum
    default: return nil
    }
  }

  /// The offset of an indexed list, from the table after the section's header (DWARF 5, section 7.28).
  private func listOffset(_ index: UInt64) -> UInt64? {
    var cursor = ByteCursor(rangeLists)
    let is64Bit = cursor.u32() == 0xffff_ffff
    cursor.skip((is64Bit ? 8 : 0) + 4)
    let count = UInt64(cursor.u32())
    guard !cursor.failed, index < count else { return nil }
    let base = cursor.position
    cursor.skip(Int(index) * (is64Bit ? 8 : 4))
    let offset = cursor.offset(is64Bit: is64Bit)
    return cursor.failed || offset > UInt64(rangeLists.count) ? nil : UInt64(base) + offset
  }

  /// A list of DWARF 5, section 2.17.3.
  private func readList(_ list: ByteCursor, _ body: (UInt64, UInt64) -> Bool) {
    var list = list
    var base = base
    while !list.failed {
      var start: UInt64 = 0
      var end: UInt64 = 0
      switch Int(list.u8()) {
      case DW_RLE_base_addressx:
        guard let address = address(list.uleb()) else { return }
        base = address
        continue
      case DW_RLE_base_address:
        base = list.u64()
        continue
      case DW_RLE_startx_endx:
        guard let first = address(list.uleb()), let last = address(list.uleb()) else { return }
        (start, end) = (first, last)
      case DW_RLE_startx_length:
        guard let first = address(list.uleb()) else { return }
        (start, end) = (first, first &+ list.uleb())
      case DW_RLE_offset_pair:
        start = base &+ list.uleb()
        end = base &+ list.uleb()
      case DW_RLE_start_end: (start, end) = (list.u64(), list.u64())
      case DW_RLE_start_length:
        start = list.u64()
        end = start &+ list.uleb()
      default: return
      }
      guard !list.failed, body(start, end) else { return }
    }
  }

  /// A list of DWARF 4, section 2.17.3: pairs of addresses, ended by zeros.
  private func readPairs(_ list: ByteCursor, _ body: (UInt64, UInt64) -> Bool) {
    var list = list
    var base = base
    while !list.failed {
      let start = list.u64()
      let end = list.u64()
      if list.failed || start == 0 && end == 0 { return }
      if start == .max {
        base = end
      } else if !body(base &+ start, base &+ end) {
        return
      }
    }
  }
}
