import Glibc

/// Numbers the source paths that a sweep comes by, each text once.
struct SourcePaths: Sendable {
  private(set) var paths: [String] = []
  private var numbers: [String: Int32] = [:]
  /// By the address of libdw's text: one for each file of a unit.
  private var known: [UInt: Int32] = [:]
  private var generated: Int32 = -1
  private var last: (text: UInt, number: Int32) = (0, -1)

  /// The number of a path as libdw gives it; -1 if it gives none.
  ///
  /// - Parameter directory: where the compiler ran. Before DWARF 5 libdw leaves paths relative to it.
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

  /// Whether a number is of the file that Swift gives to code it made up itself.
  func isCompilerGenerated(_ number: Int32) -> Bool { number == generated }

  /// What Swift's compiler names as the file of code that it made up.
  static let compilerGenerated = "<compiler-generated>"

  private static func path(
    _ text: UnsafePointer<CChar>, in directory: UnsafePointer<CChar>?
  ) -> String {
    let path = String(cString: text)
    // libdw puts a directory before it.
    if path.hasSuffix(compilerGenerated) { return compilerGenerated }
    guard !path.hasPrefix("/"), let directory else { return path }
    let folder = String(cString: directory)
    if folder.isEmpty || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") {
      return path
    }
    return folder + (folder.hasSuffix("/") ? "" : "/") + path
  }

  /// A path with its `.` and `..` taken out by their names alone, as a list of functions has it:
  /// `app/../lib/a.c` and `lib/a.c` are one file, and none of a repository's paths has dots.
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
