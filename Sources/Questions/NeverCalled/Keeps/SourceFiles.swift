import FirstlightModel
import Glibc
import SystemSupport

/// Finds and reads the source files of listed functions.
final class SourceFiles {
  private let maps: [(from: String, to: String)]
  private var mapped: [TextBytes: String] = [:]
  private var sources: [TextBytes: Source] = [:]
  /// Files that are missing, in the order of the requests.
  private(set) var missing: [String] = []

  /// - Parameter maps: mappings `FROM=TO`. The first one that matches a path counts.
  init(maps: [String]) {
    self.maps = maps.map { map in
      let (from, to) = map.cut(at: "=") ?? (map[...], "")
      return (String(from), String(to))
    }
  }

  /// The current path of a recorded source file.
  func map(_ path: String) -> String {
    if maps.isEmpty { return path }
    if let known = mapped[path] { return known }
    var result = path
    for map in maps {
      guard let rest = path.removing(prefix: map.from) else { continue }
      result = AbsolutePath.of(map.to + rest)
      break
    }
    mapped[path] = result
    return result
  }

  /// The reason in a comment at a function's declaration, if there is one.
  func keepReason(_ function: FunctionReport) -> String? {
    guard let file = function.file, function.line > 0 else { return nil }
    return source(file).keeps.reason(line: function.line)
  }

  /// Whether an initializer or deinitializer is implicit: its recorded line declares none.
  func isImplicit(_ function: FunctionReport) -> Bool {
    guard let file = function.file, function.line > 0 else { return false }
    let source = source(file)
    guard function.line <= source.lineCount else { return false }
    let line = source.line(function.line)
    return function.name.ends(with: ".deinit")
      ? !line.containsUTF8("deinit") : !line.containsUTF8("init")
  }

  /// Whether a function's declaration has an attribute that makes compilers copy it into callers, or lets them
  /// do without its calls.
  func inlining(_ function: FunctionReport) -> NeverCalledRequest.Inlining? {
    guard let file = function.file, function.line > 0 else { return nil }
    let source = source(file)
    guard source.hasAttributes, function.line <= source.lineCount else { return nil }
    // The recorded line may be that of the name or of the body, below the first of the declaration.
    let isC = !file.ends(with: ".swift")
    // An accessor's attributes can be its variable's.
    var seeksVariable = function.pieces.contains { $0.kind == .accessor }
    var found: NeverCalledRequest.Inlining?
    for distance in 0..<function.line {
      let text = source.line(function.line - distance).drop(any: " \t")
      if distance > 0, text.begins(with: "//") { continue }
      let isAbove =
        isC
        ? distance < 16 && !Self.endsDeclaration(text)
        : text.begins(with: "@") || text.begins(with: "#") || text == "public" || text == "internal"
          || text.isEmpty
      guard distance == 0 || isAbove || seeksVariable && distance < 16 else { break }
      // The attributes of a declaration on one line above belong to that declaration.
      if distance > 0, text.begins(with: "@"), Self.declares(text) { break }
      if text.containsUTF8("@inline(always)") || text.containsUTF8("@_transparent")
        || text.containsUTF8("always_inline")
      {
        return .mandatory
      }
      if text.containsUTF8("constexpr") || text.containsUTF8("consteval") { return .evaluated }
      if text.containsUTF8("@inline(__always)") { found = .whenOptimised }
      if text.containsUTF8("@inline(never)") || text.containsUTF8("noinline") { return .never }
      if text.containsUTF8("var ") || text.containsUTF8("let ") || text.containsUTF8("subscript") {
        seeksVariable = false
      }
    }
    return found
  }

  /// Whether a line of C or C++ ends a declaration, or is no part of the next one.
  private static func endsDeclaration(_ line: Substring) -> Bool {
    line.utf8.contains { ";{}".utf8.contains($0) } || line.ends(with: ":") || line.begins(with: "#")
  }

  private static func declares(_ line: Substring) -> Bool {
    line.containsUTF8("func ") || line.containsUTF8("init(") || line.containsUTF8("init<")
      || line.containsUTF8("init?")
      || line.containsUTF8("deinit") || line.containsUTF8("struct ") || line.containsUTF8("class ")
      || line.containsUTF8("enum ") || line.containsUTF8("{")
  }

  private func source(_ file: String) -> Source {
    if let known = sources[file] { return known }
    let text = try? TextFile.read(file)
    // Names that compilers invent are no absolute paths.
    if text == nil, file.begins(with: "/") { missing.append(file) }
    let source = Source(text ?? "")
    sources[file] = source
    return source
  }

  private struct Source {
    private let bytes: [UInt8]
    /// Where each line starts, followed by the end of the last line.
    private let starts: [Int]
    let keeps: KeepComments
    /// Whether any declaration has an inlining attribute.
    let hasAttributes: Bool

    init(_ text: String) {
      keeps = KeepComments(text)
      hasAttributes =
        text.containsUTF8("@inline(") || text.containsUTF8("@_transparent")
        || text.containsUTF8("_inline")
        || text.containsUTF8("noinline") || text.containsUTF8("conste")
      bytes = Array(text.utf8)
      var starts = [0]
      bytes.withUnsafeBufferPointer { bytes in
        for at in bytes.indices where bytes[at] == 0x0a { starts.append(at + 1) }
      }
      self.starts = starts + [bytes.count + 1]
    }

    var lineCount: Int { starts.count - 1 }

    /// - Parameter number: counted from 1.
    func line(_ number: Int) -> String {
      String(decoding: bytes[starts[number - 1]..<starts[number] - 1], as: UTF8.self)
    }
  }
}
