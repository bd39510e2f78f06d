import FirstlightModel
import SystemSupport

/// Finds sources of C and C++ in a project of which no recorded binary has a function: their code is unknown, and a list
/// without them would look as if all of it ran.
package enum UnlinkedFiles {
  private static let endings: Set<TextBytes> = ["c", "cc", "cpp", "cxx"]
  private static let mostNames = 3

  /// A sentence with the number and names of the files; nil if there are none.
  ///
  /// - Parameter project: absolute path of its folder, without links.
  package static func sentence(
    in tree: SourceTree, project: String, _ profile: borrowing Profile
  ) throws(Failure) -> String? {
    let linked = linked(profile)
    let left = ProjectFiles.list(project).files.filter { file in
      file.lastIndex(ofUTF8: ".").map { endings.contains(file[$0...].dropFirst()) } == true
        // CMake compiles files of its own there, to learn about the compiler.
        && !file.containsUTF8("/CMakeFiles/") && !linked.contains(file)
    }
    guard let own = try tree.ownCode(files: linked.map(\.text) + left) else { return nil }
    let paths = SourcePaths(root: project)
    let names = left.filter { own.origin(of: $0) == .own }.map(paths.shown).sortedByBytes()
    guard !names.isEmpty else { return nil }
    let more = names.count - mostNames
    return "not listed, as no recorded program has functions of "
      + "\(CountText.text(names.count, "source file")): "
      + names.prefix(mostNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private static func linked(_ profile: borrowing Profile) -> Set<TextBytes> {
    var files: Set<TextBytes> = []
    for recorded in profile.builds {
      for function in recorded.build.functions where !function.isCopied {
        if let file = function.file { files.insert(file) }
      }
    }
    return Set(files.map { TextBytes(AbsolutePath.resolved($0.text) ?? $0.text) })
  }
}
