/// How one kind of debugging information entry is laid out.
struct Abbreviation: Sendable {
  var code: UInt64
  var tag: UInt16
  var hasChildren: Bool
  /// Its attributes, as indices into `AbbreviationTable.attributes`.
  var attributes: Range<Int>
  /// What to do to move past all its attributes, as indices into `AbbreviationTable.skips`.
  var skips: Range<Int>
}

struct AttributeSpecification: Sendable {
  var name: UInt16
  var form: UInt16
  /// The value itself, of a `DW_FORM_implicit_const`.
  var implicit: Int64
}

/// The entry layouts that the entries of a unit refer to by code (DWARF 5, section 7.5.3).
struct AbbreviationTable: Sendable {
  /// One step in passing over an entry: `size` bytes, then, unless `form` is 0, a value of a form
  /// whose size must be read.
  struct Skip: Sendable {
    var size: Int
    var form: UInt16
  }

  private(set) var abbreviations: [Abbreviation] = []
  private(set) var attributes: [AttributeSpecification] = []
  private(set) var skips: [Skip] = []
  /// Where a code isn't its place counted from 1, as every compiler numbers them: code to index.
  private var indices: [UInt64: Int]?

  /// Reads the table at `offset`; up to the first bad entry if it is damaged.
  init(_ section: Bytes, offset: UInt64, is64Bit: Bool) {
    guard offset < UInt64(section.count) else { return }
    var cursor = ByteCursor(section, at: Int(offset))
    while !cursor.isAtEnd {
      let code = cursor.uleb()
      if code == 0 { break }
      let tag = UInt16(truncatingIfNeeded: cursor.uleb())
      let hasChildren = cursor.u8() != 0
      let firstAttribute = attributes.count
      let firstSkip = skips.count
      var fixed = 0
      while let attribute = Self.nextAttribute(&cursor) {
        attributes.append(attribute)
        if let size = AttributeValue.fixedSize(attribute.form, is64Bit: is64Bit) {
          fixed += size
        } else {
          skips.append(Skip(size: fixed, form: attribute.form))
          fixed = 0
        }
      }
      if cursor.failed { break }
      if fixed > 0 { skips.append(Skip(size: fixed, form: 0)) }
      append(
        Abbreviation(
          code: code, tag: tag, hasChildren: hasChildren,
          attributes: firstAttribute..<attributes.count, skips: firstSkip..<skips.count))
    }
  }

  /// Reads the next attribute of an abbreviation; nil at its end.
  @inline(__always)
  static func nextAttribute(_ cursor: inout ByteCursor) -> AttributeSpecification? {
    let name = UInt16(truncatingIfNeeded: cursor.uleb())
    let form = UInt16(truncatingIfNeeded: cursor.uleb())
    if name == 0 && form == 0 || cursor.failed { return nil }
    let implicit = form == Form.implicitConstant ? cursor.sleb() : 0
    return AttributeSpecification(name: name, form: form, implicit: implicit)
  }

  /// Moves from the start of a table to the attributes of the abbreviation with a code; false if
  /// it has none.
  static func move(_ cursor: inout ByteCursor, toCode wanted: UInt64) -> Bool {
    while !cursor.failed, wanted != 0 {
      let code = cursor.uleb()
      if code == 0 { return false }
      cursor.skipLEB()
      cursor.skip(1)
      if code == wanted { return !cursor.failed }
      while nextAttribute(&cursor) != nil {}
    }
    return false
  }

  private mutating func append(_ abbreviation: Abbreviation) {
    let index = abbreviations.count
    abbreviations.append(abbreviation)
    if indices != nil {
      if indices![abbreviation.code] == nil { indices![abbreviation.code] = index }
    } else if abbreviation.code != UInt64(index + 1) {
      var all: [UInt64: Int] = [:]
      for (index, known) in abbreviations.enumerated() where all[known.code] == nil {
        all[known.code] = index
      }
      indices = all
    }
  }

  /// Index of the abbreviation with a code; nil if the table has none.
  @inline(__always)
  func index(ofCode code: UInt64) -> Int? {
    if let indices { return indices[code] }
    guard code > 0, code <= UInt64(abbreviations.count) else { return nil }
    return Int(code) &- 1
  }
}
