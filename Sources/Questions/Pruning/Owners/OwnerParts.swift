import FirstlightModel

/// Divides a patch among the owners of its files.
///
/// A unit that changes files of several owners goes to all of them, in a part of its own.
package struct OwnerParts {
  package struct Part: Hashable, Sendable {
    /// Owners of the changed files, sorted. Empty: they have no owner.
    package var owners: [String]
    /// Indices of candidates.
    package var candidates: Set<Int>
    /// Whether the owners' changes need each other.
    package var isShared: Bool
  }

  package private(set) var parts: [Part] = []

  /// - Parameters:
  ///   - patch: all changes.
  ///   - owners: owners of a path of the patch.
  ///   - maximumLines: changed lines of a part. A unit with more is a part of its own.
  package init(
    _ plan: PrunePlan, _ patch: PrunePatch, owners: (String) -> [String],
    maximumLines: Int? = nil
  ) {
    // By the owners of single files: several units of one owner go together.
    var groups: [[[TextBytes]]: [[Int]]] = [:]
    for unit in Self.units(patch.removed, plan.candidates) {
      let files = plan.files(of: unit)
      let sets = Set(files.map { owners($0.text).map { TextBytes($0) }.sorted() })
        .sorted { $0.lexicographicallyPrecedes($1) }
      groups[sets, default: []].append(unit)
    }
    let order = groups.keys.sorted { a, b in
      let (first, second) = (Array(a.joined()), Array(b.joined()))
      if a.count != b.count { return a.count < b.count }
      if first.isEmpty != second.isEmpty { return second.isEmpty }
      return first.lexicographicallyPrecedes(second)
    }
    for sets in order {
      for candidates in Self.packed(groups[sets] ?? [], plan, maximumLines) {
        parts.append(
          Part(
            owners: Set(sets.joined()).sorted().map(\.text), candidates: candidates,
            isShared: sets.count > 1))
      }
    }
  }

  /// Candidates that refer to each other, which change together: without a unit's candidates the rest of the
  /// project is as complete as before.
  private static func units(_ changed: [Int], _ candidates: [PruneCandidate]) -> [[Int]] {
    var neighbours: [Int: [Int]] = [:]
    for user in changed {
      for used in candidates[user].uses {
        neighbours[user, default: []].append(used)
        neighbours[used, default: []].append(user)
      }
    }
    var left = Set(changed)
    var units: [[Int]] = []
    for start in changed.sorted() where left.remove(start) != nil {
      var unit: [Int] = []
      var next = [start]
      while let number = next.popLast() {
        unit.append(number)
        next += (neighbours[number] ?? []).filter { left.remove($0) != nil }
      }
      units.append(unit.sorted())
    }
    return units
  }

  /// Joins units, in the order of their files, as long as they have few enough lines.
  private static func packed(
    _ units: [[Int]], _ plan: PrunePlan, _ maximumLines: Int?
  ) -> [Set<Int>] {
    guard let maximumLines else { return [Set(units.joined())] }
    let sorted = units.sorted { a, b in
      let (first, second) = (plan.candidates[a[0]].definition, plan.candidates[b[0]].definition)
      return (first.file, first.target.line, a[0]) < (second.file, second.target.line, b[0])
    }
    var packed: [Set<Int>] = []
    var lines = 0
    for unit in sorted {
      let count = plan.patch(of: Set(unit)).lineCount
      if !packed.isEmpty, lines + count <= maximumLines {
        packed[packed.count - 1].formUnion(unit)
        lines += count
      } else {
        packed.append(Set(unit))
        lines = count
      }
    }
    return packed
  }

  /// Joins parts that were found not to stand on their own.
  mutating func join(_ numbers: Set<Int>) {
    guard numbers.count > 1, let first = numbers.min() else { return }
    for number in numbers.subtracting([first]).sorted(by: >) {
      let part = parts.remove(at: number)
      parts[first].isShared = parts[first].isShared || parts[first].owners != part.owners
      parts[first].candidates.formUnion(part.candidates)
      parts[first].owners = Set(texts: parts[first].owners + part.owners).sorted()
        .map(\.text)
    }
  }
}

extension PrunePlan {
  /// Paths of the files that candidates are declared in.
  func files(of candidates: [Int]) -> Set<TextBytes> {
    var files: Set<TextBytes> = []
    for number in candidates {
      let candidate = self.candidates[number]
      for place in [candidate.definition] + candidate.declarations + candidate.entries {
        if let path = path(of: place.file) { files.insert(path) }
      }
    }
    return files
  }
}
