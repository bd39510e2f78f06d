import FirstlightModel

/// A patch in parts that are applied one after the other.
package struct PatchSeries {
  package struct Entry: Sendable {
    package var part: OwnerParts.Part
    package var changes: [FileChange]
    /// Changed candidates, sorted.
    package var changed: [Int]
    /// Numbers of earlier entries, from 0, that must be applied before.
    package var needs: [Int]
  }

  package private(set) var entries: [Entry] = []

  package init(_ plan: PrunePlan, _ parts: [OwnerParts.Part]) {
    var applied: Set<Int> = []
    var before: [FileChange] = []
    for part in parts {
      applied.formUnion(part.candidates)
      let after = plan.patch(of: applied).changes
      let changes = FileChange.between(before, after)
      let needs = Self.needs(plan, part, changes, entries)
      entries.append(
        Entry(part: part, changes: changes, changed: part.candidates.sorted(), needs: needs))
      before = after
    }
  }

  /// Earlier entries that change the same files; all of them if the changes would differ without
  /// the others.
  private static func needs(
    _ plan: PrunePlan, _ part: OwnerParts.Part, _ changes: [FileChange], _ earlier: [Entry]
  ) -> [Int] {
    var needs: [Int] = []
    var files = Set(texts: changes.map(\.path))
    for number in earlier.indices.reversed() {
      let others = Set(texts: earlier[number].changes.map(\.path))
      if !files.isDisjoint(with: others) {
        needs.insert(number, at: 0)
        files.formUnion(others)
      }
    }
    guard needs.count < earlier.count else { return needs }
    let base = needs.reduce(into: Set<Int>()) { $0.formUnion(earlier[$1].part.candidates) }
    let alone = FileChange.between(
      plan.patch(of: base).changes, plan.patch(of: base.union(part.candidates)).changes)
    return alone == changes ? needs : Array(earlier.indices)
  }
}
