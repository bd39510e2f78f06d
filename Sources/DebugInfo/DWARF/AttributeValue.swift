/// One attribute's value as it stands in `.debug_info`: a number whose meaning its form gives.
struct AttributeValue {
  var form: UInt16
  /// The constant, offset or index; for a string in place, its offset in the section.
  var raw: UInt64

  /// Reads a value and moves past it. Blocks are passed over; their value is 0.
  @inline(__always)
  static func read(
    _ cursor: inout ByteCursor, form: UInt16, implicit: Int64, is64Bit: Bool
  ) -> AttributeValue {
    switch form {
    case Form.data1, Form.ref1, Form.flag, Form.strx1, Form.addrx1:
      return AttributeValue(form: form, raw: UInt64(cursor.u8()))
    case Form.data2, Form.ref2, Form.strx2, Form.addrx2:
      return AttributeValue(form: form, raw: UInt64(cursor.u16()))
    case Form.data4, Form.ref4, Form.strx4, Form.addrx4:
      return AttributeValue(form: form, raw: UInt64(cursor.u32()))
    case Form.address, Form.data8, Form.ref8, Form.refSignature:
      return AttributeValue(form: form, raw: cursor.u64())
    case Form.strp, Form.lineStrp, Form.sectionOffset, Form.refAddress:
      return AttributeValue(form: form, raw: cursor.offset(is64Bit: is64Bit))
    case Form.udata, Form.refUData, Form.strx, Form.addrx, Form.loclistx, Form.rnglistx,
      Form.gnuAddressIndex, Form.gnuStringIndex:
      return AttributeValue(form: form, raw: cursor.uleb())
    case Form.sdata: return AttributeValue(form: form, raw: UInt64(bitPattern: cursor.sleb()))
    case Form.implicitConstant:
      return AttributeValue(form: form, raw: UInt64(bitPattern: implicit))
    case Form.flagPresent: return AttributeValue(form: form, raw: 1)
    case Form.strx3, Form.addrx3: return AttributeValue(form: form, raw: UInt64(cursor.u24()))
    case Form.string:
      let start = cursor.position
      _ = cursor.cString()
      return AttributeValue(form: form, raw: UInt64(start))
    case Form.indirect:
      let real = UInt16(truncatingIfNeeded: cursor.uleb())
      // Chains of `indirect` are allowed by no producer; refusing them bounds the recursion.
      guard real != Form.indirect, real != Form.implicitConstant else {
        cursor.fail()
        return AttributeValue(form: form, raw: 0)
      }
      return readIndirect(&cursor, form: real, is64Bit: is64Bit)
    default:
      skip(&cursor, form: form, is64Bit: is64Bit)
      return AttributeValue(form: form, raw: 0)
    }
  }

  @inline(never)
  private static func readIndirect(
    _ cursor: inout ByteCursor, form: UInt16, is64Bit: Bool
  ) -> AttributeValue {
    read(&cursor, form: form, implicit: 0, is64Bit: is64Bit)
  }

  /// Bytes of a value whose size the form alone gives; nil for the others.
  static func fixedSize(_ form: UInt16, is64Bit: Bool) -> Int? {
    switch form {
    case Form.flagPresent, Form.implicitConstant: 0
    case Form.data1, Form.ref1, Form.flag, Form.strx1, Form.addrx1: 1
    case Form.data2, Form.ref2, Form.strx2, Form.addrx2: 2
    case Form.strx3, Form.addrx3: 3
    case Form.data4, Form.ref4, Form.strx4, Form.addrx4, Form.refSupplementary4: 4
    case Form.address, Form.data8, Form.ref8, Form.refSignature, Form.refSupplementary8: 8
    case Form.data16: 16
    case Form.strp, Form.lineStrp, Form.sectionOffset, Form.refAddress, Form.strpSupplementary,
      Form.gnuRefAlternate, Form.gnuStrpAlternate:
      is64Bit ? 8 : 4
    default: nil
    }
  }

  /// Moves past a value. An unknown form is a failure: nothing after it could be read.
  static func skip(_ cursor: inout ByteCursor, form: UInt16, is64Bit: Bool) {
    if let size = fixedSize(form, is64Bit: is64Bit) { return cursor.skip(size) }
    switch form {
    case Form.udata, Form.sdata, Form.refUData, Form.strx, Form.addrx, Form.loclistx,
      Form.rnglistx, Form.gnuAddressIndex, Form.gnuStringIndex:
      cursor.skipLEB()
    case Form.string: _ = cursor.cString()
    case Form.block1: cursor.skip(Int(cursor.u8()))
    case Form.block2: cursor.skip(Int(cursor.u16()))
    case Form.block4: cursor.skip(Int(cursor.u32()))
    case Form.block, Form.expression: cursor.skip(Int(clamping: cursor.uleb()))
    case Form.indirect:
      let real = UInt16(truncatingIfNeeded: cursor.uleb())
      guard real != Form.indirect, real != Form.implicitConstant else { return cursor.fail() }
      skip(&cursor, form: real, is64Bit: is64Bit)
    default: cursor.fail()
    }
  }
}
