/// What stands before the opcodes of a line table (DWARF 5, section 6.2.4).
struct LineProgramHeader: Sendable {
  var files = FileTable()
  /// Where the opcodes are, in `.debug_line`.
  var program: Range<Int> = 0..<0
  var minimumInstructionLength: UInt64 = 1
  var lineBase: Int64 = 0
  var lineRange: UInt8 = 1
  var opcodeBase: UInt8 = 1
  /// Number of LEB128 operands of each standard opcode, from opcode 1 on.
  var operandCounts: Bytes = .empty

  /// The header of a unit's line table; nil if there is none that can be read.
  init?(_ unit: Unit, _ sections: DWARFSections) {
    guard let start = unit.lineOffset, start < UInt64(sections.line.count) else { return nil }
    var cursor = ByteCursor(sections.line, at: Int(start))
    var length = UInt64(cursor.u32())
    let is64Bit = length == 0xffff_ffff
    if is64Bit { length = cursor.u64() }
    guard !cursor.failed, length <= UInt64(cursor.remaining) else { return nil }
    let end = cursor.position + Int(length)
    cursor.limit(to: end)
    files.version = cursor.u16()
    guard (2...5).contains(files.version) else { return nil }
    if files.version >= 5 {
      guard cursor.u8() == 8 else { return nil }
      cursor.skip(1)
    }
    let headerLength = cursor.offset(is64Bit: is64Bit)
    guard headerLength <= UInt64(cursor.remaining) else { return nil }
    program = (cursor.position + Int(headerLength))..<end
    cursor.limit(to: program.lowerBound)
    minimumInstructionLength = UInt64(cursor.u8())
    if files.version >= 4 { cursor.skip(1) }
    cursor.skip(1)
    lineBase = Int64(Int8(bitPattern: cursor.u8()))
    lineRange = cursor.u8()
    opcodeBase = cursor.u8()
    guard lineRange > 0, opcodeBase > 0 else { return nil }
    let counts = sections.line.slice(UInt64(cursor.position), UInt64(opcodeBase - 1))
    cursor.skip(Int(opcodeBase) - 1)
    guard !cursor.failed, let counts else { return nil }
    operandCounts = counts

    if let directory = unit.compilationDirectory {
      files.compilationDirectory = unit.string(directory, sections) ?? .empty
    }
    if files.version >= 5 {
      files.directories = Self.entries(&cursor, unit, sections, is64Bit).map(\.name)
      files.files = Self.entries(&cursor, unit, sections, is64Bit)
    } else {
      readTables4(&cursor)
    }
  }

  private mutating func readTables4(_ cursor: inout ByteCursor) {
    while !cursor.isAtEnd {
      let directory = cursor.cString()
      if directory.isEmpty { break }
      files.directories.append(directory)
    }
    while !cursor.isAtEnd {
      let name = cursor.cString()
      if name.isEmpty { break }
      files.files.append(FileTable.File(name: name, directory: cursor.uleb()))
      cursor.skipLEB()
      cursor.skipLEB()
    }
  }

  /// A version 5 table of directories or files, which says itself what its columns are.
  private static func entries(
    _ cursor: inout ByteCursor, _ unit: Unit, _ sections: DWARFSections, _ is64Bit: Bool
  ) -> [FileTable.File] {
    var columns: [(content: UInt64, form: UInt16)] = []
    for _ in 0..<cursor.u8() {
      columns.append((cursor.uleb(), UInt16(truncatingIfNeeded: cursor.uleb())))
    }
    let count = cursor.uleb()
    // An entry takes at least a byte; a larger count is a lie.
    guard !columns.isEmpty, count <= UInt64(cursor.remaining) else { return [] }
    var files: [FileTable.File] = []
    for _ in 0..<count {
      var file = FileTable.File(name: .empty, directory: 0)
      for column in columns {
        let value = AttributeValue.read(
          &cursor, form: column.form, implicit: 0, is64Bit: is64Bit)
        if column.content == 1 {  // DW_LNCT_path
          file.name =
            value.form == Form.string
            ? sections.line.cString(Int(value.raw)) ?? .empty
            : unit.string(value, sections) ?? .empty
        } else if column.content == 2 {  // DW_LNCT_directory_index
          file.directory = value.raw
        }
      }
      if cursor.failed { break }
      files.append(file)
    }
    return files
  }
}
