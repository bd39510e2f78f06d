import TextFormatting

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

  package init(_ plan: some SourcePlan, _ parts: [OwnerParts.Part]) {
    var applied: Set<Int> = []
    var before = Tree()
    for part in parts {
      applied.formUnion(part.candidates)
      let after = Tree(plan.patch(of: applied).changes)
      let changes = before.changes(to: after)
      let needs = Self.needs(plan, part, changes, entries)
      entries.append(
        Entry(part: part, changes: changes, changed: part.candidates.sorted(), needs: needs))
      before = after
    }
  }

  /// Earlier entries that change the same files; all of them if the changes would differ without
  /// the others.
  private static func needs(
    _ plan: some SourcePlan, _ part: OwnerParts.Part, _ changes: [FileChange], _ earlier: [Entry]
  ) -> [Int] {
    var needs: [Int] = []
    var files = Set(changes.map(\.path))
    for number in earlier.indices.reversed() {
      let others = earlier[number].changes.map(\.path)
      if !files.isDisjoint(with: others) {
        needs.insert(number, at: 0)
        files.formUnion(others)
      }
    }
    guard needs.count < earlier.count else { return needs }
    let base = needs.reduce(into: Set<Int>()) { $0.formUnion(earlier[$1].part.candidates) }
    let alone = Tree(plan.patch(of: base).changes)
      .changes(to: Tree(plan.patch(of: base.union(part.candidates)).changes))
    return alone == changes ? needs : Array(earlier.indices)
  }
}

/// Changed files of a project, compared with the original ones.
private struct Tree {
  private var files: [String: FileChange] = [:]

  init(_ changes: [FileChange] = []) {
    for change in changes { files[change.path] = change }
  }

  /// The changes that lead from these files to others.
  func changes(to other: Tree) -> [FileChange] {
    var changes: [FileChange] = []
    for path in Set(files.keys).union(other.files.keys).sorted() {
      guard let any = other.files[path] ?? files[path] else { continue }
      let old = files[path]?.result ?? any.source
      if other.files[path]?.isDeleted == true {
        guard files[path]?.isDeleted != true else { continue }
        changes.append(
          FileChange(
            path: path, source: old, removed: [], isDeleted: true, isExecutable: any.isExecutable))
      } else {
        let change = FileChange(
          path: path, from: old, to: other.files[path]?.result ?? any.source,
          isExecutable: any.isExecutable)
        if !change.isEmpty { changes.append(change) }
      }
    }
    return changes
  }
}
