import FirstlightModel

/// What the text of their declarations says of candidates for deletion.
package struct DeletionAnswer: Hashable, Codable, Sendable {
  /// By index of a candidate: why it stays.
  package var refusals: [Int: DeletionRefusal] = [:]
  /// By index of a candidate that goes: the lines of source that go with it, if all that can go does.
  package var lines: [Int: Int] = [:]

  package init(refusals: [Int: DeletionRefusal] = [:], lines: [Int: Int] = [:]) {
    self.refusals = refusals
    self.lines = lines
  }
}
