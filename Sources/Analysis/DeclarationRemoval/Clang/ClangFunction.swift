import Foundation

/// A declaration or definition of a function as clang has it (`-ast-dump=json`).
package struct ClangFunction: Hashable, Sendable {
  package var name: String
  /// Bytes of a file that the dump names only where it changes: who uses them compares the file's
  /// text.
  package var nameOffset: Int
  /// From its first specifier or attribute to its last token.
  package var range: Range<Int>
  package var hasBody: Bool
  /// Whether a macro writes some of it: then the bytes are of no use.
  package var isInMacro: Bool = false

  /// All in a dump: one JSON document after the other, as `-ast-dump-filter` gives them.
  package static func all(inDump dump: String) -> [ClangFunction] {
    let decoder = JSONDecoder()
    var found: [ClangFunction] = []
    var document = ""
    for line in dump.split(separator: "\n") {
      document += line + "\n"
      guard line == "}" else { continue }
      // What is no declaration with a place, clang made itself.
      if let node = try? decoder.decode(Node.self, from: Data(document.utf8)),
        let function = node.function
      {
        found.append(function)
      }
      document = ""
    }
    return found
  }

  // MARK: JSON

  private struct Node: Decodable {
    var kind: String
    var name: String?
    var loc: Place?
    var range: Span?
    var inner: [Child]?

    var function: ClangFunction? {
      guard kind == "FunctionDecl", let name, let loc, let range else { return nil }
      let hasBody = inner?.contains { $0.kind == "CompoundStmt" } ?? false
      guard let place = loc.offset, let begin = range.begin.offset, let end = range.end.offset,
        let length = range.end.tokLen, begin <= place, place <= end
      else {
        return ClangFunction(
          name: name, nameOffset: loc.writtenOffset ?? 0, range: 0..<0, hasBody: hasBody,
          isInMacro: true)
      }
      return ClangFunction(
        name: name, nameOffset: place, range: begin..<end + length, hasBody: hasBody)
    }
  }

  private struct Child: Decodable {
    var kind: String?
  }

  private struct Span: Decodable {
    var begin: Place
    var end: Place
  }

  /// With two places instead of an offset if a macro wrote it.
  private struct Place: Decodable {
    struct Written: Decodable {
      var offset: Int?
    }
    var offset: Int?
    var tokLen: Int?
    var spellingLoc: Written?
    var expansionLoc: Written?

    var writtenOffset: Int? { offset ?? spellingLoc?.offset ?? expansionLoc?.offset }
  }
}
