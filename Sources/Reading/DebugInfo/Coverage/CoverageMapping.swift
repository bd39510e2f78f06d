import FirstlightModel
import SystemSupport

/// The functions that a compiler counts, with their places: LLVM's coverage mapping of a linked image
/// (https://llvm.org/docs/CoverageMappingFormat.html), versions 4 to 7, LLVM 11 to 22.
struct CoverageMapping {
  /// A function of the source.
  struct Function {
    /// Differs between functions of one name that one source file defines under different macros.
    var hash: UInt64
    var file: String
    /// Where the body begins, and where it ends.
    var line: Int
    var lastLine: Int
    /// Whether the object only mentions it, with a count of zero, as of an inline function that it does not use.
    fileprivate var isMention: Bool
  }

  /// A macro's text, or an included one, as a part of a function.
  struct Macro: Hashable {
    @TextBytes var file: String
    var line, lastLine: Int
    @TextBytes var functionFile: String
    var functionLine: Int
  }

  /// The macros of wanted files.
  private(set) var macros: Set<Macro> = []
  private let macroFiles: Set<TextBytes>
  private let readsBodies: Bool

  /// By the hash of the name.
  private(set) var functions: [UInt64: Function] = [:]
  /// The newest version in the file, as it is written there: one less than in the documents.
  private(set) var version: UInt32 = 0

  /// Paths by the hash of their encoded list, which functions refer to.
  private var files: [UInt64: [String]] = [:]

  /// - Parameters:
  ///   - macroFiles: files whose macros are wanted, too.
  ///   - readsBodies: whether the last lines of functions with several bodies are wanted: each statement of Swift's
  ///     top-level code has one.
  init(_ elf: ELFFile, macroFiles: Set<TextBytes> = [], readsBodies: Bool = false) {
    self.macroFiles = macroFiles
    self.readsBodies = readsBodies
    for section in elf.sections where section.name == "__llvm_covmap" && !section.isCompressed {
      readFiles(elf.contents(section))
    }
    for section in elf.sections where section.name == "__llvm_covfun" && !section.isCompressed {
      readFunctions(elf.contents(section))
    }
    files = [:]
  }

  private mutating func readFiles(_ bytes: Bytes) {
    var at = 0
    // A header for each object: number of functions (none here), sizes of both parts, version.
    while let size = bytes.load(at + 4, as: UInt32.self),
      let version = bytes.load(at + 12, as: UInt32.self)
    {
      guard (3...6).contains(version), let list = bytes.slice(UInt64(at + 16), UInt64(size)) else {
        return
      }
      self.version = max(self.version, version)
      let text = UnsafeRawBufferPointer(start: list.base, count: list.count)
      files[NameHash.of(text)] = Self.paths(list, version)
      at = (at + 16 + list.count + 7) & ~7
    }
  }

  /// The most bytes of the paths of one object.
  private static let longestPaths = 64 << 20

  private static func paths(_ list: Bytes, _ version: UInt32) -> [String] {
    var cursor = ByteCursor(list)
    let count = cursor.uleb()
    let (plain, packed) = (cursor.uleb(), cursor.uleb())
    guard !cursor.failed, let rest = list.slice(UInt64(cursor.position), UInt64(cursor.remaining))
    else { return [] }
    var text = Array(UnsafeRawBufferPointer(start: rest.base, count: rest.count))
    if packed > 0 {
      guard packed <= UInt64(text.count), plain <= UInt64(longestPaths),
        let inflated = try? Deflate.inflate(Array(text[..<Int(packed)]), limit: Int(plain))
      else { return [] }
      text = inflated
    }
    return text.withUnsafeBytes { text in
      var cursor = ByteCursor(Bytes(text))
      var paths: [String] = []
      // Since version 6, the first is the compiler's folder.
      while UInt64(paths.count) < count, cursor.remaining > 0 {
        let size = cursor.uleb()
        guard size <= UInt64(cursor.remaining),
          let path = Bytes(text).slice(UInt64(cursor.position), size)
        else { break }
        cursor.skip(path.count)
        let isRelative = path.load(0, as: UInt8.self) != UInt8(ascii: "/")
        paths.append(
          version >= 5 && isRelative && !paths.isEmpty
            ? joined(paths[0], path.text) : path.text)
      }
      return paths
    }
  }

  /// A path below a folder, without `.` and `..`.
  private static func joined(_ folder: String, _ path: String) -> String {
    var parts: [Substring] = []
    for part in "\(folder)/\(path)".split(at: "/") where part != "." {
      if part == "..", !parts.isEmpty { parts.removeLast() } else { parts.append(part) }
    }
    return (folder.begins(with: "/") ? "/" : "") + parts.joined(separator: "/")
  }

  private mutating func readFunctions(_ bytes: Bytes) {
    var at = 0
    while let name = bytes.load(at, as: UInt64.self),
      let size = bytes.load(at + 8, as: UInt32.self),
      let hash = bytes.load(at + 12, as: UInt64.self),
      let list = bytes.load(at + 20, as: UInt64.self)
    {
      guard let data = bytes.slice(UInt64(at + 28), UInt64(size)) else { return }
      at = (at + 28 + data.count + 7) & ~7
      guard let paths = files[list], let place = MappedRegion.first(of: data),
        place.file < paths.count
      else { continue }
      var function = Function(
        hash: hash, file: paths[place.file], line: place.line, lastLine: place.lastLine,
        isMention: hash == 0 && place.isMention)
      if readsBodies {
        MappedRegion.forEach(of: data) { region in
          if region.macroFile == nil { function.lastLine = max(function.lastLine, region.lastLine) }
          return true
        }
      }
      if functions[name]?.isMention ?? true { functions[name] = function }
      guard paths.contains(where: { macroFiles.contains($0) }) else { continue }
      MappedRegion.forEach(of: data) { region in
        if let file = region.macroFile, file < paths.count, macroFiles.contains(paths[file]) {
          macros.insert(
            Macro(
              file: paths[file], line: region.line, lastLine: region.lastLine,
              functionFile: function.file, functionLine: function.line))
        }
        return true
      }
    }
  }
}

/// The region of a function's body in its coverage mapping.
private struct MappedRegion {
  /// Index of its file's path.
  var file: Int
  var line: Int
  var lastLine: Int
  /// Whether it is the only one, with a count of zero.
  var isMention: Bool
  /// Index of the path of the macro, or the included text, that it is in; nil: it is in the function itself.
  var macroFile: Int?

  /// The first region that is no branch, as llvm-cov places the function.
  static func first(of data: Bytes) -> MappedRegion? {
    var first: MappedRegion?
    forEach(of: data) {
      first = $0
      return false
    }
    return first
  }

  /// Calls `body` with each region that is no branch, until it returns false.
  static func forEach(of data: Bytes, _ body: (MappedRegion) -> Bool) {
    var cursor = ByteCursor(data)
    let files = cursor.uleb()
    guard files > 0, files <= UInt64(data.count) else { return }
    let numbers = (0..<files).map { _ in Int(clamping: cursor.uleb()) }
    let expressions = cursor.uleb()
    guard expressions <= UInt64(data.count) else { return }
    for _ in 0..<2 * expressions { _ = cursor.uleb() }
    for place in 0..<files {
      let regions = cursor.uleb()
      var line: UInt64 = 0
      for _ in 0..<regions {
        let counter = cursor.uleb()
        // A counter's two lowest bits are 0 for none; then a bit for a macro, and the kind of region.
        let kind = counter & 7 == 0 ? counter >> 3 : 0
        let more = [4: 2, 5: 2, 6: 5][kind] ?? 0
        for _ in 0..<more { _ = cursor.uleb() }
        line &+= cursor.uleb()
        // Its first column, its further lines, its last column.
        _ = cursor.uleb()
        let height = cursor.uleb()
        _ = cursor.uleb()
        guard !cursor.failed, line <= UInt64(Int32.max), height <= UInt64(Int32.max) else {
          return
        }
        if more > 0 { continue }
        let isAlone = files == 1 && expressions == 0 && regions == 1
        let region = MappedRegion(
          file: numbers[0], line: Int(line), lastLine: Int(line) + Int(height),
          isMention: isAlone && counter & 3 == 0,
          macroFile: place > 0 ? numbers[Int(place)] : nil)
        if !body(region) { return }
      }
    }
  }
}
