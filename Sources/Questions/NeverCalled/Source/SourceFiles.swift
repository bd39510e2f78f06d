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
    let word = function.name.ends(with: ".deinit") ? "deinit" : "init"
    return !source(file).text.declares(word, line: function.line)
  }

  /// Whether a function's declaration has an attribute that makes compilers copy it into callers, or lets them
  /// do without its calls.
  func inlining(_ function: FunctionReport) -> NeverCalledRequest.Inlining? {
    guard let file = function.file, function.line > 0 else { return nil }
    let source = source(file)
    guard source.hasAttributes else { return nil }
    return source.text.inlining(
      line: function.line, isAccessor: function.pieces.contains { $0.kind == .accessor })
  }

  private func source(_ file: String) -> Source {
    if let known = sources[file] { return known }
    let text = try? TextFile.read(file)
    // Names that compilers invent are no absolute paths.
    if text == nil, file.begins(with: "/") { missing.append(file) }
    let source = Source(text ?? "", SourceLanguage(of: file))
    sources[file] = source
    return source
  }

  private struct Source {
    let text: SourceText
    let keeps: KeepComments
    /// Whether any declaration has an inlining attribute.
    let hasAttributes: Bool

    init(_ text: String, _ language: SourceLanguage) {
      self.text = SourceText(Array(text.utf8), language)
      keeps = KeepComments(self.text)
      hasAttributes =
        text.containsUTF8("@inline(") || text.containsUTF8("@_transparent")
        || text.containsUTF8("_inline") || text.containsUTF8("noinline")
        || text.containsUTF8("conste")
    }
  }
}
