extension SourcePlan {
  /// Changes candidates, except those that must stay as they are and what these refer to. One that stays may
  /// hold others, which may stay for the same file, so this repeats until all that is left changes.
  ///
  /// - Parameters:
  ///   - holds: whether a candidate outside of the set keeps what it refers to.
  ///   - reason: why a candidate stays that another one refers to, which stays for the given reason.
  ///   - change: changes a set, and adds those of it that must stay.
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
