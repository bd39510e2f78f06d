import FirstlightModel

/// Converts source paths to the form in reports: relative to the reader's directory.
package struct SourcePaths: Sendable {
  private let root: [Substring]
  private let rootText: String

  /// - Parameter root: an absolute path, usually the working directory; nil: paths stay unchanged.
  package init(root: String?) {
    rootText = root ?? ""
    self.root = rootText.split(at: "/")
  }

  /// The path for people: relative if the file is below the root.
  package func shown(_ path: String) -> String {
    let inside = rootText.isEmpty ? nil : path.removing(prefix: rootText + "/")
    return inside.map(String.init) ?? path
  }

  /// The path relative to the root, with `..` if necessary.
  package func relative(_ path: String) -> String {
    guard path.begins(with: "/"), !rootText.isEmpty else { return path }
    let parts = path.split(at: "/")
    var common = 0
    while common < root.count, common < parts.count - 1, root[common] == parts[common] {
      common += 1
    }
    return (Array(repeating: "..", count: root.count - common) + parts[common...].map(String.init))
      .joined(separator: "/")
  }

  /// The relative path as part of a URI.
  package func uri(_ path: String) -> String { Escaping.uriPath(relative(path)) }
}
