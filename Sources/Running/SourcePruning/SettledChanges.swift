extension SourcePlan {
  /// Changes candidates, except those that must stay and those to which they refer. Each change may find more
  /// candidates that must stay, and these keep others in turn. So this repeats until all the rest changes.
  ///
  /// - Parameters:
  ///   - holds: whether a candidate outside of the set keeps what it refers to.
  ///   - reason: the reason to keep a candidate to which another one refers, given why that one stays.
  ///   - change: changes a set, and returns through its second argument the members that must stay.
  func settle<Changes>(
    _ chosen: Set<Int>, _ patch: inout PrunePatch, heldBy holds: (Int) -> Bool = { _ in true },
    because reason: (_ used: Int, _ user: Int, PruneKeeping?) -> PruneKeeping,
    change: (Set<Int>, inout [Int: PruneKeeping]) -> Changes
  ) -> Changes {
    var changed = chosen
    while true {
      var staying = candidates.indices.filter { !changed.contains($0) && holds($0) }
      while let user = staying.popLast() {
        for used in candidates[user].uses where changed.remove(used) != nil {
          if patch.kept[used] == nil { patch.kept[used] = reason(used, user, patch.kept[user]) }
          staying.append(used)
        }
      }
      var kept: [Int: PruneKeeping] = [:]
      let changes = change(changed, &kept)
      if kept.isEmpty {
        patch.removed = changed.sorted()
        return changes
      }
      patch.kept.merge(kept) { known, _ in known }
      changed.subtract(kept.keys)
    }
  }
}
