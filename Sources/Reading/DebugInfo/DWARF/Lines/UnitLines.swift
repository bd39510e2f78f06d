import CElfutils
import Glibc

/// The source line of each range of a unit's code, and the unit's numbered files. All data belongs
/// to the handle that opened the unit.
struct UnitLines {
  struct Row {
    /// As libdw gives it: see `NumberedPaths`.
    var file: UnsafePointer<CChar>
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
    guard Self.isAllowed(&unit, handle) else {
      lines = nil
      count = 0
      files = nil
      return
    }
    var lines: OpaquePointer?
    var count = 0
    if !withRows {
      count = 0
    } else if dwarf_getsrclines(&unit, &lines, &count) != 0 {
      count = 0
      // For example, elfutils 0.192 cannot read clang's 64-bit DWARF.
      handle.leaveOut("line tables that the installed elfutils \(ElfutilsInfo.version) cannot read")
    }
    self.lines = lines
    self.count = count
    var files: OpaquePointer?
    var fileCount = 0
    if dwarf_getsrcfiles(&unit, &files, &fileCount) != 0 { files = nil }
    self.files = files
  }

  /// `DW_AT_comp_dir` of a unit's first entry.
  static func compilationDirectory(_ unit: inout Dwarf_Die) -> UnsafePointer<CChar>? {
    var attribute = Dwarf_Attribute()
    return dwarf_attr(&unit, Attribute.compilationDirectory, &attribute) == nil
      ? nil : dwarf_formstring(&attribute)
  }

  /// Whether libdw may read the unit's line table: see `LineTables`.
  private static func isAllowed(_ unit: inout Dwarf_Die, _ handle: DWARFHandle) -> Bool {
    var attribute = Dwarf_Attribute()
    var offset: Dwarf_Word = 0
    return dwarf_attr(&unit, Attribute.statementList, &attribute) != nil
      && dwarf_formudata(&attribute, &offset) == 0
      && handle.mayReadLines(at: offset, of: unit.cu)
  }

  var isEmpty: Bool { count == 0 }

  /// The row of a link-time address: the last one that starts at or before it, unless the code ends
  /// there. Of several rows at one address, the last one counts.
  func row(at address: UInt64) -> Row? {
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
    return Row(file: file, line: UInt32(clamping: line), column: UInt32(clamping: column))
  }

  /// The file with a number from the unit's entries.
  func file(_ number: UInt64) -> UnsafePointer<CChar>? {
    guard let files, let number = Int(exactly: number) else { return nil }
    return dwarf_filesrc(files, number, nil, nil)
  }
}

/// Numbers the source paths that a sweep meets, each text once.
struct NumberedPaths: Sendable {
  private(set) var paths: [String] = []
  private var numbers: [String: Int32] = [:]
  /// Numbers by the address of libdw's text, of which each file of a unit has one.
  private var known: [UInt: Int32] = [:]
  private var generated: Int32 = -1
  private var last: (text: UInt, number: Int32) = (0, -1)

  /// The number of a path that libdw returned; -1 if there is none.
  ///
  /// - Parameter directory: the compiler's directory: before DWARF 5, libdw leaves paths relative to it.
  mutating func number(_ text: UnsafePointer<CChar>?, in directory: UnsafePointer<CChar>?) -> Int32
  {
    guard let text else { return -1 }
    let key = UInt(bitPattern: text)
    if key == last.text { return last.number }
    let number = known[key] ?? add(Self.path(text, in: directory))
    known[key] = number
    last = (key, number)
    return number
  }

  private mutating func add(_ path: String) -> Int32 {
    if let number = numbers[path] { return number }
    let number = Int32(paths.count)
    paths.append(path)
    numbers[path] = number
    if path == Self.compilerGenerated { generated = number }
    return number
  }

  /// Whether the number is that of Swift's or Go's placeholder file for generated code.
  func isCompilerGenerated(_ number: Int32) -> Bool { number == generated }

  /// Swift's file name for compiler-generated code.
  static let compilerGenerated = "<compiler-generated>"

  private static func path(
    _ text: UnsafePointer<CChar>, in directory: UnsafePointer<CChar>?
  ) -> String {
    let path = String(cString: text)
    // libdw puts a directory before it. Go's compiler uses its own name.
    if path.hasSuffix(compilerGenerated) || path.hasSuffix("<autogenerated>") {
      return compilerGenerated
    }
    guard !path.hasPrefix("/"), let directory else { return path }
    let folder = String(cString: directory)
    if folder.isEmpty || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") {
      return path
    }
    return folder + (folder.hasSuffix("/") ? "" : "/") + path
  }

  /// Removes `.` and `..` from a path without reading links, for lists of functions:
  /// `app/../lib/a.c` and `lib/a.c` are one file, and paths in a repository contain no dots.
  static func plain(_ path: String) -> String {
    var parts: [Substring] = []
    var isPlain = true
    for part in path.split(separator: "/") {
      if part == "." || part == ".." { isPlain = false }
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".", part != ".." || !path.hasPrefix("/") {
        parts.append(part)
      }
    }
    return isPlain ? path : (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
