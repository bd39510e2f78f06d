/// One unit of `.debug_info`: what its header and its first entry say.
struct Unit: Sendable {
  /// Where its header starts, where its first entry starts, and where it ends, in `.debug_info`.
  var offset: Int
  var firstEntry: Int
  var end: Int
  var version: UInt16
  var is64Bit: Bool
  var abbreviationsOffset: UInt64
  /// Whether it can hold code: types and the like cannot.
  var isCode: Bool
  var lineOffset: UInt64?
  /// `DW_AT_name`: the source file.
  var name: AttributeValue?
  /// `DW_AT_language`; 0 if it says none.
  var language: UInt64 = 0
  /// Whether Swift's compiler says that it optimised the unit (`DW_AT_APPLE_optimized`).
  var isMarkedOptimised = false
  var stringOffsetsBase: UInt64
  var addressBase: UInt64
  var rangeListsBase: UInt64
  /// Base address of range lists.
  var lowPC: UInt64
  var highPC: AttributeValue?
  var ranges: AttributeValue?
  var compilationDirectory: AttributeValue?

  /// Where the unit at `offset` ends; nil if what is there isn't one.
  static func end(_ sections: DWARFSections, at offset: Int) -> Int? {
    var cursor = ByteCursor(sections.info, at: offset)
    var length = UInt64(cursor.u32())
    if length == 0xffff_ffff { length = cursor.u64() }
    guard !cursor.failed, length > 0, length <= UInt64(cursor.remaining) else { return nil }
    return cursor.position + Int(length)
  }

  /// The unit at `offset`; nil if what is there isn't one. `end` is where the next one starts even
  /// if this one is of a version or address size we can't read; then `isCode` is false.
  init?(_ sections: DWARFSections, at offset: Int) {
    var cursor = ByteCursor(sections.info, at: offset)
    var length = UInt64(cursor.u32())
    is64Bit = length == 0xffff_ffff
    if is64Bit { length = cursor.u64() }
    guard !cursor.failed, length > 0, length <= UInt64(cursor.remaining) else { return nil }
    self.offset = offset
    end = cursor.position + Int(length)
    cursor.limit(to: end)
    version = cursor.u16()
    var kind: UInt8 = 1
    var addressSize: UInt8
    if version >= 5 {
      kind = cursor.u8()
      addressSize = cursor.u8()
      abbreviationsOffset = cursor.offset(is64Bit: is64Bit)
      // Skeleton and split units have an id here.
      if kind == 4 || kind == 5 { cursor.skip(8) }
    } else {
      abbreviationsOffset = cursor.offset(is64Bit: is64Bit)
      addressSize = cursor.u8()
    }
    firstEntry = cursor.position
    isCode =
      !cursor.failed && (2...5).contains(version) && addressSize == 8
      && (kind == 1 || kind == 3 || kind == 4)
    stringOffsetsBase = is64Bit ? 16 : 8
    addressBase = is64Bit ? 16 : 8
    rangeListsBase = is64Bit ? 20 : 12
    lowPC = 0
    if isCode { readFirstEntry(sections, &cursor) }
  }

  private mutating func readFirstEntry(_ sections: DWARFSections, _ cursor: inout ByteCursor) {
    // Read in place: making a table of every unit's abbreviations would cost more than all else.
    let code = cursor.uleb()
    var layout = ByteCursor(sections.abbreviations, at: Int(clamping: abbreviationsOffset))
    guard AbbreviationTable.move(&layout, toCode: code) else {
      isCode = false
      return
    }
    var lowPC: AttributeValue?
    while let attribute = AbbreviationTable.nextAttribute(&layout) {
      let value = AttributeValue.read(
        &cursor, form: attribute.form, implicit: attribute.implicit, is64Bit: is64Bit)
      switch attribute.name {
      case Attribute.statementList: lineOffset = value.raw
      case Attribute.name: name = value
      case Attribute.appleOptimised: isMarkedOptimised = true
      case Attribute.language: language = value.raw
      case Attribute.lowPC: lowPC = value
      case Attribute.highPC: highPC = value
      case Attribute.ranges: ranges = value
      case Attribute.compilationDirectory: compilationDirectory = value
      case Attribute.stringOffsetsBase: stringOffsetsBase = value.raw
      case Attribute.addressBase: addressBase = value.raw
      case Attribute.rangeListsBase: rangeListsBase = value.raw
      default: break
      }
    }
    if cursor.failed { isCode = false }
    if let lowPC { self.lowPC = address(lowPC, sections) ?? 0 }
  }

  /// The address an attribute of this unit means.
  func address(_ value: AttributeValue, _ sections: DWARFSections) -> UInt64? {
    switch value.form {
    case Form.address: return value.raw
    case Form.addrx, Form.addrx1, Form.addrx2, Form.addrx3, Form.addrx4, Form.gnuAddressIndex:
      return address(atIndex: value.raw, sections)
    default: return nil
    }
  }

  func address(atIndex index: UInt64, _ sections: DWARFSections) -> UInt64? {
    guard index < UInt64(sections.addresses.count) / 8,
      let offset = Int(exactly: addressBase)
    else { return nil }
    return sections.addresses.load(offset &+ Int(index) &* 8, as: UInt64.self)
  }

  /// The text an attribute of this unit means.
  func string(_ value: AttributeValue, _ sections: DWARFSections) -> Bytes? {
    guard value.raw <= UInt64(Int.max) else { return nil }
    switch value.form {
    case Form.string: return sections.info.cString(Int(value.raw))
    case Form.strp: return sections.strings.cString(Int(value.raw))
    case Form.lineStrp: return sections.lineStrings.cString(Int(value.raw))
    case Form.strx, Form.strx1, Form.strx2, Form.strx3, Form.strx4, Form.gnuStringIndex:
      let size: UInt64 = is64Bit ? 8 : 4
      guard value.raw < UInt64(sections.stringOffsets.count) / size,
        let base = Int(exactly: stringOffsetsBase)
      else { return nil }
      let place = base &+ Int(value.raw &* size)
      let offset =
        is64Bit
        ? sections.stringOffsets.load(place, as: UInt64.self)
        : sections.stringOffsets.load(place, as: UInt32.self).map(UInt64.init)
      guard let offset, offset <= UInt64(Int.max) else { return nil }
      return sections.strings.cString(Int(offset))
    default: return nil
    }
  }

  /// Where in `.debug_info` an attribute of this unit points.
  func reference(_ value: AttributeValue) -> Int? {
    switch value.form {
    case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUData:
      let (sum, overflow) = UInt64(offset).addingReportingOverflow(value.raw)
      return overflow ? nil : Int(exactly: sum)
    case Form.refAddress: return Int(exactly: value.raw)
    default: return nil
    }
  }
}
