import FirstlightModel

/// The texts of source files, each read once.
final class SourceTexts {
  private let read: (String) -> SourceText?
  /// By file; nil if it does not exist.
  private var known: [TextBytes: SourceText?] = [:]

  init(_ read: @escaping (String) -> SourceText?) {
    self.read = read
  }

  subscript(file: String) -> SourceText? {
    if let known = known[file] { return known }
    let found = read(file)
    known[file] = found
    return found
  }

  /// The estimated lines from a declaration's name to its closing brace; the name's line alone if unclear.
  func lines(ofDeclarationIn file: String, at line: Int) -> ClosedRange<Int> {
    line...max(line, self[file]?.lastLine(ofDeclarationAt: line) ?? line)
  }
}
