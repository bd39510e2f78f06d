import DeclarationRemoval
import FirstlightModel
import Glibc
import SystemSupport
import TextFormatting

/// The source files of a project, each read once.
package final class PruneSources {
  /// The folder that patches are applied in: an absolute path.
  package let root: String
  private let clang: ClangReader
  private var known: [String: [UInt8]] = [:]
  private var parsed: [String: SwiftRemoval] = [:]

  package init(root: String) {
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
    if file.hasSuffix(".swift") {
      let removal = parsed[file] ?? SwiftRemoval(source)
      parsed[file] = removal
      return removal.removal(of: targets, isUnreferenced: isUnreferenced)
    }
    guard file.hasSuffix(".c") || file.hasSuffix(".h") else {
      throw Failure(.data, "in a language that prune does not read")
    }
    var functions: [ClangFunction] = []
    for target in targets {
      functions += try clang.functions(
        named: String(target.name.prefix { $0 != "(" }), in: mainFiles[target] ?? file)
    }
    return ClangRemoval(source).removal(of: targets, among: functions)
  }

  /// The change of a file; nil if it is not in the project.
  func change(of file: String, _ removal: SourceRemoval, isDeleted: Bool) -> [FileChange] {
    guard let path = path(of: file), let source = known[file] else { return [] }
    return [
      FileChange(
        path: path, source: source, removed: removal.ranges, isDeleted: isDeleted,
        isExecutable: access(file, X_OK) == 0)
    ]
  }

  /// The path from the root; nil if the file is elsewhere.
  private func path(of file: String) -> String? {
    let real = AbsolutePath.resolved(file) ?? file
    return real.hasPrefix(root + "/") ? String(real.dropFirst(root.count + 1)) : nil
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
