/// Whether an object file belongs to a project, or to the toolchain and the system, whose archives no flag
/// of a build recompiles.
package struct SectionOwner: Sendable {
  /// Each ends with a slash.
  private let folders: [String]

  /// - Parameter folders: where the project's files and its builds are, absolute.
  package init(folders: [String]) { self.folders = folders.map { $0 + "/" } }

  /// - Parameter file: as a linker's map names it: `dir/a.o`, `/usr/lib/libx.a(b.o)`.
  package func owns(_ file: String) -> Bool {
    !file.hasPrefix("/") || folders.contains { file.hasPrefix($0) }
  }

  /// The file's path, of a member that of its archive.
  package static func archive(_ file: String) -> String {
    file.hasSuffix(")") ? String(file.prefix { $0 != "(" }) : file
  }
}
