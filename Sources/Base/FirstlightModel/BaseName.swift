/// The last component of a path.
package enum BaseName {
  /// A path that has no component (empty, or slashes alone) is its own.
  package static func of(_ path: some StringProtocol) -> String {
    path.split(whereSeparator: { $0 == "/" }).last.map { String($0) } ?? String(path)
  }
}
