/// What is removed from one source file.
package struct SourceRemoval: Hashable, Sendable {
  package var removed: [DeclarationTarget] = []
  package var kept: [DeclarationTarget: KeepingReason] = [:]
  /// Names of types and extensions that had nothing else in them.
  package var emptied: [String] = []
  /// What goes: bytes of the file, sorted, apart from each other.
  package var ranges: [Range<Int>] = []
  /// Whether nothing but imports and comments is left.
  package var isFileEmptied = false

  package init() {}
}
