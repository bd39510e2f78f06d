import CElfutils
import Glibc

/// A line table of `.debug_line` (DWARF 5, section 6.2.4), measured without decoding: the amount
/// that libdw would allocate for it.
struct LineTable: Sendable {
  /// The table's range in the section.
  let place: Range<Int>
  /// Size of the files' joined paths, and of libdw's data for each.
  private(set) var pathBytes = 0
  /// Maximum number of rows that the line program makes.
  private(set) var rowLimit = 0

  /// Measures the header at `offset`; nil if libdw cannot read it, or would read more entries than
  /// there are bytes.
  ///
  /// - Parameters:
  ///   - directory: length of the path that precedes relative directories.
  ///   - limit: maximum of `pathBytes`, at which measuring ends.
  init?(_ sections: DebugSections, at offset: UInt64, directory: Int, limit: Int) {
    guard offset < UInt64(sections.lines.count) else { return nil }
    var cursor = ByteCursor(sections.lines, at: Int(offset))
    var length = UInt64(cursor.u32())
    let is64Bit = length == 0xffff_ffff
    if is64Bit { length = cursor.u64() }
    guard !cursor.failed, length <= UInt64(cursor.remaining) else { return nil }
    cursor.limit(to: cursor.position + Int(length))
    place = Int(offset)..<cursor.end
    let version = cursor.u16()
    guard (2...5).contains(version) else { return nil }
    if version == 5 { cursor.skip(2) }
    let headerLength = cursor.offset(is64Bit: is64Bit)
    guard headerLength <= UInt64(cursor.remaining) else { return nil }
    let program = cursor.position + Int(headerLength)
    cursor.skip(version >= 4 ? 5 : 4)
    let opcodeBase = cursor.u8()
    cursor.skip(max(0, Int(opcodeBase) - 1))
    var directories = version == 5 ? [] : [0]
    func add(_ name: Int, in index: UInt64) {
      let folder = index < UInt64(directories.count) ? directories[Int(index)] : 0
      pathBytes += name + folder + directory + Self.fileSize
    }
    if version == 5 {
      var reader = EntryReader(sections: sections, is64Bit: is64Bit)
      guard reader.begin(&cursor) else { return nil }
      for _ in 0..<reader.count where pathBytes <= limit {
        guard let entry = reader.next(&cursor) else { return nil }
        directories.append(entry.length)
        pathBytes += entry.length
      }
      guard pathBytes <= limit else { return }
      guard reader.begin(&cursor) else { return nil }
      for _ in 0..<reader.count where pathBytes <= limit {
        guard let entry = reader.next(&cursor) else { return nil }
        add(entry.length, in: entry.directory)
      }
    } else {
      while case let name = cursor.cString(), !name.isEmpty { directories.append(name.count) }
      while case let name = cursor.cString(), !name.isEmpty {
        let index = cursor.uleb()
        cursor.skipLEB()
        cursor.skipLEB()
        add(name.count, in: index)
      }
    }
    guard pathBytes <= limit else { return }
    guard !cursor.failed else { return nil }
    measureProgram(
      UnsafeRawBufferPointer(
        start: sections.lines.base + program, count: place.upperBound - program),
      opcodeBase, longestDirectory: directory + (directories.max() ?? 0))
  }

  /// Size of libdw's data for a file beside its path.
  private static let fileSize = 48

  /// Counts bytes without separating opcodes from operands: a row needs a special opcode or a 1
  /// (`DW_LNS_copy`, `DW_LNE_end_sequence`), a file in the line program needs 0, a length and 3
  /// (`DW_LNE_define_file`).
  private mutating func measureProgram(
    _ program: UnsafeRawBufferPointer, _ opcodeBase: UInt8, longestDirectory: Int
  ) {
    var rows = 0
    // Without branches, so that the compiler vectorises the loop.
    for byte in program { rows &+= (byte >= opcodeBase ? 1 : 0) | (byte == 1 ? 1 : 0) }
    rowLimit = rows
    guard program.count > 2 else { return }
    var files = 0
    for place in 2..<program.count {
      files &+= (program[place] == 3 ? 1 : 0) & (program[place &- 2] == 0 ? 1 : 0)
    }
    pathBytes += files * (longestDirectory + Self.fileSize)
  }

  /// Reads a table of directories or files: an entry's columns, then the number of entries.
  private struct EntryReader {
    let sections: DebugSections
    let is64Bit: Bool
    private var columns: [(content: UInt64, form: UInt64)] = []
    private(set) var count = 0

    init(sections: DebugSections, is64Bit: Bool) {
      self.sections = sections
      self.is64Bit = is64Bit
    }

    /// False if entries have no size: a few bytes could claim billions of them.
    mutating func begin(_ cursor: inout ByteCursor) -> Bool {
      columns = (0..<cursor.u8()).map { _ in (cursor.uleb(), cursor.uleb()) }
      let claimed = cursor.uleb()
      guard !cursor.failed, claimed <= UInt64(cursor.remaining) else { return false }
      count = Int(claimed)
      return true
    }

    /// The next entry: the length of its path, and the index of its directory.
    func next(_ cursor: inout ByteCursor) -> (length: Int, directory: UInt64)? {
      var entry = (length: 0, directory: UInt64(0))
      let start = cursor.position
      for (content, form) in columns {
        guard let value = read(form, &cursor) else { return nil }
        if content == 1 { entry.length += Int(clamping: value) }
        if content == 2 { entry.directory = value }
      }
      return cursor.failed || cursor.position == start ? nil : entry
    }

    /// The value of a number, the length of a text; nil for forms not allowed here (section 6.2.4.1).
    private func read(_ form: UInt64, _ cursor: inout ByteCursor) -> UInt64? {
      switch form {
      case 0x08: return UInt64(cursor.cString().count)
      case 0x0e: return text(sections.strings, cursor.offset(is64Bit: is64Bit))
      case 0x1f: return text(sections.lineStrings, cursor.offset(is64Bit: is64Bit))
      case 0x0b: return UInt64(cursor.u8())
      case 0x05: return UInt64(cursor.u16())
      case 0x06: return UInt64(cursor.u32())
      case 0x07: return cursor.u64()
      case 0x0f: return cursor.uleb()
      case 0x1e:
        cursor.skip(16)
        return 0
      case 0x09:
        cursor.skip(Int(clamping: cursor.uleb()))
        return 0
      default: return nil
      }
    }

    private func text(_ section: Bytes, _ offset: UInt64) -> UInt64? {
      Int(exactly: offset).flatMap { section.cString($0) }.map { UInt64($0.count) }
    }
  }
}

/// The line tables of all units, measured to decide which ones libdw may read.
struct LineTables: Sendable {
  private var tables: [UInt64: LineTable] = [:]
  /// Whether units have tables that libdw cannot read.
  private(set) var isIncomplete = false
  /// Longest compilation directory: more than Linux allows (`PATH_MAX`).
  private static let longestDirectory = 1 << 16

  /// Measures the table at `offset` of the unit with first entry `unit`.
  mutating func add(_ offset: UInt64, _ sections: DebugSections, unit: inout Dwarf_Die) {
    guard tables[offset] == nil else { return }
    let directory = UnitLines.compilationDirectory(&unit).map {
      strnlen($0, Self.longestDirectory + 1)
    }
    if directory ?? 0 <= Self.longestDirectory {
      tables[offset] = LineTable(
        sections, at: offset, directory: directory ?? 0, limit: Self.pathLimit(sections))
    }
    if tables[offset] == nil { isIncomplete = true }
  }

  mutating func merge(_ other: LineTables) {
    tables.merge(other.tables) { $0.pathBytes > $1.pathBytes ? $0 : $1 }
    isIncomplete = isIncomplete || other.isIncomplete
  }

  /// Offsets of the tables that libdw can read.
  var offsets: Set<UInt64> { Set(tables.keys) }

  /// Whether all tables together are within the limits, and none of them overlap.
  ///
  /// - Parameter codeSize: bytes of code in the image's file.
  func areAllowed(_ sections: DebugSections, codeSize: Int) -> Bool {
    var paths = Self.pathLimit(sections)
    var rows = DebugInfoLimits.rowBase + codeSize / DebugInfoLimits.codePerRow
    var end = 0
    for table in tables.values.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
      paths -= table.pathBytes
      rows -= table.rowLimit
      guard table.place.lowerBound >= end, paths >= 0, rows >= 0 else { return false }
      end = table.place.upperBound
    }
    return true
  }

  private static func pathLimit(_ sections: DebugSections) -> Int {
    DebugInfoLimits.pathBase + sections.lines.count * DebugInfoLimits.pathFactor
  }
}
