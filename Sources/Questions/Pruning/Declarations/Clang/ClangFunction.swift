import FirstlightModel
import Foundation

/// A declaration or definition of a function in clang's dump (`-ast-dump=json`).
struct ClangFunction: Hashable, Sendable {
  /// Stands before the names of wanted functions in a dump, where macros put it.
  static let prefix = "__firstlight_"

  var name: String
  /// Offset in a file. The dump names the file only where it changes, so callers must compare the
  /// text at the offset.
  var nameOffset: Int
  /// From its first specifier or attribute to its last token.
  var range: Range<Int>
  /// Where its body begins; nil if it has none.
  var body: Int?
  /// Whether a macro writes its end or the beginning of its body: the offsets are then useless. It may begin with one.
  var isInMacro = false
  /// Its attributes, by clang's names: `UnusedAttr`.
  var attributes: Set<TextBytes> = []
  var isStatic = false

  /// All functions in a dump, a sequence of JSON documents from `-ast-dump-filter`.
  static func all(inDump dump: String) -> [ClangFunction] {
    let decoder = JSONDecoder()
    var found: [ClangFunction] = []
    var document = ""
    for line in dump.split(at: "\n") {
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
    var storageClass: String?
    var loc: Place?
    var range: Span?
    var inner: [Child]?

    var function: ClangFunction? {
      guard ["FunctionDecl", "CXXMethodDecl"].contains(kind),
        let name = name?.removing(prefix: ClangFunction.prefix).map(String.init), let loc, let range
      else { return nil }
      let body = inner?.first { $0.kind == "CompoundStmt" }
      var function = ClangFunction(name: name, nameOffset: loc.written ?? 0, range: 0..<0)
      function.body = body.map { $0.range?.begin.offset ?? 0 }
      function.isStatic = storageClass == "static"
      function.attributes = Set(
        texts: (inner ?? []).compactMap(\.kind).filter { $0.ends(with: "Attr") })
      // Macros may write its storage, its type or attributes, which a prototype may end with.
      let end = body == nil ? range.end.writtenEnd : range.end.end
      if let place = loc.written, let begin = range.begin.written, let end, begin <= place,
        place < end, function.body != 0
      {
        function.range = begin..<end
      } else {
        function.isInMacro = true
      }
      return function
    }
  }

  private struct Child: Decodable {
    var kind: String?
    var range: Span?
  }

  private struct Span: Decodable {
    var begin: Place
    var end: Place
  }

  /// Has two places instead of an offset if a macro wrote it.
  private struct Place: Decodable {
    struct Written: Decodable {
      var offset: Int?
      var tokLen: Int?
    }
    var offset: Int?
    var tokLen: Int?
    var expansionLoc: Written?

    /// The offset in the file, where a macro may stand.
    var written: Int? { offset ?? expansionLoc?.offset }
    /// The end of the token at `offset`, and at `written`.
    var end: Int? { offset.flatMap { offset in tokLen.map { offset + $0 } } }
    var writtenEnd: Int? {
      end
        ?? expansionLoc.flatMap { place in
          place.offset.flatMap { offset in place.tokLen.map { offset + $0 } }
        }
    }
  }
}
