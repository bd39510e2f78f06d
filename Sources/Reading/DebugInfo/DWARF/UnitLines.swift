import CElfutils
import FirstlightModel
import Glibc

/// The source line of each range of a unit's code, and the unit's numbered files. All data belongs
/// to the handle that opened the unit.
struct UnitLines {
  /// The source line of an address.
  struct Place {
    /// Number of the path; -1 if there is none.
    var path: Int32
    var line: UInt32
    var column: UInt32
  }

  private let lines: OpaquePointer?
  private let count: Int
  private let files: OpaquePointer?
  /// `DW_AT_comp_dir` of the unit.
  let compilationDirectory: UnsafePointer<CChar>?

  /// - Parameters:
  ///   - unit: the unit's first entry.
  ///   - withRows: whether to read rows, or only the files.
  init(_ unit: inout Dwarf_Die, withRows: Bool, _ handle: DWARFHandle) {
    compilationDirectory = Self.compilationDirectory(&unit)
    var lines: OpaquePointer?
    var count = 0
    if !withRows {
      count = 0
    } else if dwarf_getsrclines(&unit, &lines, &count) != 0 {
      count = 0
      // For example, elfutils 0.192 cannot read clang's 64-bit DWARF.
      handle.leaveOut(
        "line tables that the installed elfutils \(SectionCompression.elfutilsVersion) cannot read")
    }
    self.lines = lines
    self.count = count
    var files: OpaquePointer?
    var fileCount = 0
    if dwarf_getsrcfiles(&unit, &files, &fileCount) != 0 { files = nil }
    self.files = files
  }

  /// `DW_AT_comp_dir` of a unit's first entry.
  private static func compilationDirectory(_ unit: inout Dwarf_Die) -> UnsafePointer<CChar>? {
    var attribute = Dwarf_Attribute()
    return dwarf_attr(&unit, Attribute.compilationDirectory, &attribute) == nil
      ? nil : dwarf_formstring(&attribute)
  }

  var isEmpty: Bool { count == 0 }

  /// The line of a link-time address: that of the last row that starts at or before it, unless the code ends
  /// there. Of several rows at one address, the last one counts.
  func place(at address: UInt64, _ paths: inout NumberedPaths) -> Place? {
    var start: Dwarf_Addr = 0
    let next = (0..<count).partitioningIndex { row in
      dwarf_lineaddr(dwarf_onesrcline(lines, row), &start)
      return start > address
    }
    guard next > 0, let row = dwarf_onesrcline(lines, next - 1) else { return nil }
    var isEnd = false
    guard dwarf_lineendsequence(row, &isEnd) == 0, !isEnd, let file = dwarf_linesrc(row, nil, nil)
    else { return nil }
    var line: CInt = 0
    var column: CInt = 0
    dwarf_lineno(row, &line)
    dwarf_linecol(row, &column)
    return Place(
      path: paths.number(file, in: compilationDirectory), line: UInt32(clamping: line),
      column: UInt32(clamping: column))
  }

  /// The file with a number from the unit's entries.
  func file(_ number: UInt64) -> UnsafePointer<CChar>? {
    guard let files, let number = Int(exactly: number) else { return nil }
    return dwarf_filesrc(files, number, nil, nil)
  }
}
