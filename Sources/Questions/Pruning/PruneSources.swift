import FirstlightModel
import Glibc
import NeverCalled
import SystemSupport

/// The source files of a project, each read once.
package final class PruneSources {
  /// The folder that patches are applied in: an absolute path.
  package let root: String
  private let clang: ClangReader
  private var known: [TextBytes: [UInt8]] = [:]
  private var parsed: [TextBytes: SwiftRemoval] = [:]

  init(root: String) {
    self.root = AbsolutePath.resolved(root) ?? root
    clang = ClangReader(root: self.root)
  }

  /// The text to remove with declarations of a file.
  ///
  /// - Parameter mainFiles: for declarations in headers, the file of the definition.
  /// - Throws: `Failure` if the file is outside the project, or cannot be read.
  func removal(
    of targets: [DeclarationTarget], in file: String, mainFiles: [DeclarationTarget: String],
    isUnreferenced: @escaping (DeclarationTarget) -> Bool
  ) throws(Failure) -> SourceRemoval {
    guard path(of: file) != nil else { throw Failure(.data, "not in the project") }
    let source = try bytes(of: file)
    if file.ends(with: ".swift") {
      return swift(file, source).removal(of: targets, isUnreferenced: isUnreferenced)
    }
    guard file.ends(with: ".c") || file.ends(with: ".h") else {
      throw Failure(.data, "prune removes Swift and C alone: delete it by hand")
    }
    return ClangRemoval(source).removal(
      of: targets, among: try functions(targets, file, mainFiles))
  }

  /// The change of a file; nil if it is not in the project.
  func change(of file: String, _ removal: SourceRemoval, isDeleted: Bool) -> FileChange? {
    guard let path = path(of: file), let source = known[file] else { return nil }
    var result = source
    for range in removal.ranges.reversed() { result.removeSubrange(range) }
    return FileChange(
      path: path, source: source, result: isDeleted ? nil : result,
      isExecutable: access(file, X_OK) == 0)
  }

  private func swift(_ file: String, _ source: [UInt8]) -> SwiftRemoval {
    let removal = parsed[file] ?? SwiftRemoval(source)
    parsed[file] = removal
    return removal
  }

  private func functions(
    _ targets: [DeclarationTarget], _ file: String, _ mainFiles: [DeclarationTarget: String]
  ) throws(Failure) -> [ClangFunction] {
    var names: [TextBytes: Set<TextBytes>] = [:]
    for target in targets {
      names[mainFiles[target] ?? file, default: []].insert(Self.baseName(target))
    }
    var functions: [ClangFunction] = []
    for (file, names) in names { functions += try clang.functions(named: names, in: file.text) }
    return functions
  }

  private static func baseName(_ target: DeclarationTarget) -> String {
    String(target.name.prefix(upToAny: "("))
  }

  /// Whether a function of C is local to its file.
  func isStatic(_ name: String, in file: String) -> Bool {
    (try? clang.functions(named: [TextBytes(name)], in: file))?.contains(where: \.isStatic) ?? false
  }

  /// Reads the functions of C in each file at once, since clang parses a file for each question.
  func expect(_ definitions: some Sequence<DeletionCandidate.Place>) {
    var names: [TextBytes: Set<TextBytes>] = [:]
    for place in definitions where place.file.ends(with: ".c") {
      names[place.file, default: []].insert(Self.baseName(place.target))
    }
    for (file, names) in names { _ = try? clang.functions(named: names, in: file.text) }
  }

  // MARK: Files

  /// The path from the root; nil if the file is elsewhere.
  func path(of file: String) -> String? {
    let real = AbsolutePath.resolved(file) ?? file
    return real.removing(prefix: root + "/").map(String.init)
  }

  func bytes(of file: String) throws(Failure) -> [UInt8] {
    if let known = known[file] { return known }
    do {
      let bytes = try FileContents.read(file)
      known[file] = bytes
      return bytes
    } catch { throw Failure(.noInput, "cannot be read: \(error.text)") }
  }
}
