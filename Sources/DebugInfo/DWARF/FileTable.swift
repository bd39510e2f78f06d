/// The directories and files that a line table numbers (DWARF 5, section 6.2.4).
struct FileTable: Sendable {
  struct File: Sendable {
    var name: Bytes
    var directory: UInt64
  }

  var version: UInt16 = 4
  var directories: [Bytes] = []
  var files: [File] = []
  /// `DW_AT_comp_dir` of the unit.
  var compilationDirectory: Bytes = .empty

  /// Whether a number means the file that Swift gives to code it made up itself.
  func isCompilerMade(_ number: UInt64) -> Bool {
    file(number)?.name.equals("<compiler-generated>") ?? false
  }

  /// The path of a file: absolute if the directories are. `<compiler-generated>` stands alone.
  func path(_ number: UInt64) -> String? {
    guard let file = file(number) else { return nil }
    if isCompilerMade(number) { return "<compiler-generated>" }
    if Self.isAbsolute(file.name) { return file.name.text }
    var directory = Bytes.empty
    if version >= 5 {
      if file.directory < UInt64(directories.count) { directory = directories[Int(file.directory)] }
    } else if file.directory > 0, file.directory <= UInt64(directories.count) {
      directory = directories[Int(file.directory) - 1]
    }
    var path: [UInt8] = []
    // In version 5, directory 0 is the compilation directory itself.
    if !Self.isAbsolute(directory), version < 5 || file.directory != 0 {
      Self.append(compilationDirectory, to: &path)
    }
    Self.append(directory, to: &path)
    Self.append(file.name, to: &path)
    return String(decoding: path, as: UTF8.self)
  }

  /// The path with its `.` and `..` taken out by their names alone, as a list of functions has it:
  /// `app/../lib/a.c` and `lib/a.c` are one file, and none of a repository's paths has dots.
  func plainPath(_ number: UInt64) -> String? {
    guard let path = path(number) else { return nil }
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

  private func file(_ number: UInt64) -> File? {
    let index = version >= 5 ? number : number &- 1
    return index < UInt64(files.count) ? files[Int(index)] : nil
  }

  private static func isAbsolute(_ path: Bytes) -> Bool { path.load(0, as: UInt8.self) == 0x2f }

  private static func append(_ part: Bytes, to path: inout [UInt8]) {
    guard !part.isEmpty else { return }
    if let last = path.last, last != 0x2f { path.append(0x2f) }
    path.append(contentsOf: UnsafeRawBufferPointer(start: part.base, count: part.count))
  }
}
