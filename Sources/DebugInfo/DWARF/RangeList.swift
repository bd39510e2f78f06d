/// The address ranges of an entry: `DW_AT_low_pc` and `DW_AT_high_pc`, or `DW_AT_ranges`, before
/// version 5 in `.debug_ranges`, from then on in `.debug_rnglists` (DWARF 5, section 2.17).
enum RangeList {
  /// Calls `body` with each range's start and end. Stops when `budget`, the number of ranges a
  /// unit may still have, is used up: entries of a hostile file can share one long list.
  static func forEach(
    low: AttributeValue?, high: AttributeValue?, ranges: AttributeValue?, of unit: Unit,
    _ sections: DWARFSections, budget: inout Int, _ body: (UInt64, UInt64) -> Void
  ) {
    if let ranges {
      if unit.version >= 5 {
        list5(ranges, unit, sections, &budget, body)
      } else {
        list4(ranges, unit, sections, &budget, body)
      }
    } else if let low, let high, let start = unit.address(low, sections) {
      // A constant is the size; anything else is the end itself.
      let end = unit.address(high, sections) ?? start &+ high.raw
      budget -= 1
      if start < end, budget >= 0 { body(start, end) }
    }
  }

  private static func list4(
    _ value: AttributeValue, _ unit: Unit, _ sections: DWARFSections, _ budget: inout Int,
    _ body: (UInt64, UInt64) -> Void
  ) {
    guard value.raw < UInt64(sections.ranges.count) else { return }
    var cursor = ByteCursor(sections.ranges, at: Int(value.raw))
    var base = unit.lowPC
    while cursor.remaining >= 16, budget > 0 {
      budget -= 1
      let start = cursor.u64()
      let end = cursor.u64()
      if start == 0, end == 0 { return }
      if start == .max {
        base = end
      } else if base &+ start < base &+ end {
        body(base &+ start, base &+ end)
      }
    }
  }

  private static func list5(
    _ value: AttributeValue, _ unit: Unit, _ sections: DWARFSections, _ budget: inout Int,
    _ body: (UInt64, UInt64) -> Void
  ) {
    var offset = value.raw
    if value.form == Form.rnglistx {
      let size: UInt64 = unit.is64Bit ? 8 : 4
      guard value.raw < UInt64(sections.rangeLists.count) / size,
        let table = Int(exactly: unit.rangeListsBase)
      else { return }
      let place = table &+ Int(value.raw &* size)
      let entry =
        unit.is64Bit
        ? sections.rangeLists.load(place, as: UInt64.self)
        : sections.rangeLists.load(place, as: UInt32.self).map(UInt64.init)
      guard let entry else { return }
      offset = unit.rangeListsBase &+ entry
    }
    guard offset < UInt64(sections.rangeLists.count) else { return }
    var cursor = ByteCursor(sections.rangeLists, at: Int(offset))
    var base = unit.lowPC
    while !cursor.isAtEnd, budget > 0 {
      budget -= 1
      var start: UInt64?
      var end: UInt64?
      switch cursor.u8() {
      case 0: return
      case 1:  // DW_RLE_base_addressx
        base = unit.address(atIndex: cursor.uleb(), sections) ?? 0
        continue
      case 2:  // DW_RLE_startx_endx
        start = unit.address(atIndex: cursor.uleb(), sections)
        end = unit.address(atIndex: cursor.uleb(), sections)
      case 3:  // DW_RLE_startx_length
        start = unit.address(atIndex: cursor.uleb(), sections)
        let length = cursor.uleb()
        end = start.map { $0 &+ length }
      case 4:  // DW_RLE_offset_pair
        start = base &+ cursor.uleb()
        end = base &+ cursor.uleb()
      case 5:  // DW_RLE_base_address
        base = cursor.u64()
        continue
      case 6:  // DW_RLE_start_end
        start = cursor.u64()
        end = cursor.u64()
      case 7:  // DW_RLE_start_length
        start = cursor.u64()
        end = start! &+ cursor.uleb()
      default: return
      }
      if cursor.failed { return }
      if let start, let end, start < end { body(start, end) }
    }
  }
}
