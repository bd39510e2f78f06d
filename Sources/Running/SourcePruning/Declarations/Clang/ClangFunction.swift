import Foundation

/// A declaration or definition of a function in clang's dump (`-ast-dump=json`).
package struct ClangFunction: Hashable, Sendable {
  package var name: String
  /// Offset in a file. The dump names the file only where it changes, so callers must compare the
  /// text at the offset.
  package var nameOffset: Int
  /// From its first specifier or attribute to its last token.
  package var range: Range<Int>
  package var hasBody: Bool
  /// Whether a macro writes a part of it: the offsets are then useless.
  package var isInMacro: Bool = false

  /// All functions in a dump, a sequence of JSON documents from `-ast-dump-filter`.
  package static func all(inDump dump: String) -> [ClangFunction] {
    let decoder = JSONDecoder()
    var found: [ClangFunction] = []
    var document = ""
    for line in dump.split(separator: "\n") {
      document += line + "\n"
      guard line == "}" else { continue }
      // Declarations without a place come from clang itself.
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
      guard ["FunctionDecl", "CXXMethodDecl"].contains(kind), let name, let loc, let range else {
        return nil
      }
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

  /// Has two places instead of an offset if a macro wrote it.
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
