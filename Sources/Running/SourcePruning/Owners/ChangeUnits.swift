/// Divides a patch into units: candidates that refer to each other, which change together.
///
/// Without a unit's candidates the rest of the project is as complete as before, so units can be
/// applied in any order.
struct ChangeUnits {
  /// Candidates of each unit, sorted; units by their first candidate.
  let units: [[Int]]

  init(_ changed: [Int], _ candidates: [PruneCandidate]) {
    var parents = Array(candidates.indices)
    func root(_ number: Int) -> Int {
      var number = number
      while parents[number] != number {
        parents[number] = parents[parents[number]]
        number = parents[number]
      }
      return number
    }
    let members = Set(changed)
    for user in changed {
      for used in candidates[user].uses where members.contains(used) {
        let (a, b) = (root(user), root(used))
        parents[max(a, b)] = min(a, b)
      }
    }
    var units: [Int: [Int]] = [:]
    for number in changed.sorted() { units[root(number), default: []].append(number) }
    self.units = units.sorted { $0.key < $1.key }.map(\.value)
  }
}
