import PatchFormat

/// What goes, and what stays.
package struct PrunePatch: Sendable {
  package var changes: [FileChange] = []
  /// Indices of candidates.
  package var removed: [Int] = []
  package var kept: [Int: PruneKeeping] = [:]
  /// Names of types and extensions that had nothing else in them.
  package var emptied: [String] = []

  package init() {}

  /// Lines that go.
  package var lineCount: Int {
    changes.reduce(0) { sum, change in
      change.removed.reduce(sum) { sum, range in
        sum + change.source[range].lazy.filter { $0 == UInt8(ascii: "\n") }.count
      }
    }
  }
}
