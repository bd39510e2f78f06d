/// A declaration that is to be removed, as an index names it.
package struct DeclarationTarget: Hashable, Sendable {
  /// With labels: `price(of:)`, `init(_:)`, `subscript(_:)`, `==(_:_:)`, `total`.
  package var name: String
  /// Of its name; the first is 1.
  package var line: Int

  package init(name: String, line: Int) {
    self.name = name
    self.line = line
  }
}
