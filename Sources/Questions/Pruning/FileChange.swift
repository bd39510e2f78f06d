import FirstlightModel

/// A file of a patch, before and after.
package struct FileChange: Hashable, Sendable {
  /// Path from the folder of the patch.
  package var path: String
  package var source: [UInt8]
  /// Nil: the file is deleted.
  package var result: [UInt8]?
  package var isExecutable = false

  package init(path: String, source: [UInt8], result: [UInt8]?, isExecutable: Bool = false) {
    self.path = path
    self.source = source
    self.result = result
    self.isExecutable = isExecutable
  }

  var isDeleted: Bool { result == nil }

  /// Number of lines that the file loses.
  var lineCount: Int { Self.lines(source) - Self.lines(result ?? []) }

  private static func lines(_ bytes: [UInt8]) -> Int {
    bytes.lazy.filter { $0 == UInt8(ascii: "\n") }.count
  }

  /// The changes that lead from the files of one patch to those of another.
  static func between(_ before: [FileChange], _ after: [FileChange]) -> [FileChange] {
    let (old, new) = (byPath(before), byPath(after))
    return Set(old.keys).union(new.keys).sorted().map(\.text).compactMap { path in
      guard let any = new[path] ?? old[path] else { return nil }
      let source = old[path].map(\.result) ?? any.source
      let result = new[path].map(\.result) ?? any.source
      guard source != result else { return nil }
      return FileChange(
        path: path, source: source ?? [], result: result, isExecutable: any.isExecutable)
    }
  }

  private static func byPath(_ changes: [FileChange]) -> [TextBytes: FileChange] {
    Dictionary(texts: changes.map { ($0.path, $0) }, uniquingKeysWith: { _, last in last })
  }
}
