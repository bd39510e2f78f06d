/// A list order that begins with removable functions: groups, the first of which has a tree for
/// each function without references, the largest tree first.
struct ReferenceOrder {
  /// By function: its rank.
  private(set) var ranks: [Int]
  /// By function: number of functions above it in its tree.
  private(set) var depths: [Int]

  /// - Parameters:
  ///   - reports: by function; nil for functions that a run may have called, which come last.
  ///   - roots: by function, the root of its tree; nil if it has none.
  ///   - referrers: by function, the never-called functions that refer to it.
  init(
    _ reports: [ReferenceReport?], roots: [Int?], referrers: [[Int]], bytes: [UInt64]
  ) {
    ranks = Array(repeating: reports.count, count: reports.count)
    depths = Array(repeating: 0, count: reports.count)
    var members: [Int: [Int]] = [:]
    var groups: [Int: [Int]] = [:]
    var sums: [Int: UInt64] = [:]
    for (number, report) in reports.enumerated() {
      guard let report else { continue }
      let group = ReferenceGroup(report)
      if group == .deletable, let root = roots[number] {
        members[root, default: []].append(number)
        sums[root, default: 0] += bytes[number]
      } else {
        groups[group.rawValue, default: []].append(number)
      }
    }
    var rank = 0
    for root in members.keys.sorted(by: { (sums[$1]!, $0) < (sums[$0]!, $1) }) {
      addTree(root, members[root]!, referrers, bytes, &rank)
    }
    for group in ReferenceGroup.allCases {
      let functions = groups[group.rawValue] ?? []
      for number in functions.sorted(by: { (bytes[$1], $0) < (bytes[$0], $1) }) {
        ranks[number] = rank
        rank += 1
      }
    }
  }

  /// Ranks a function, then those that fall with it, each below one that refers to it.
  private mutating func addTree(
    _ root: Int, _ members: [Int], _ referrers: [[Int]], _ bytes: [UInt64], _ rank: inout Int
  ) {
    let inTree = Set(members)
    var called: [Int: [Int]] = [:]
    for member in members {
      for referrer in Set(referrers[member]) where inTree.contains(referrer) {
        called[referrer, default: []].append(member)
      }
    }
    // Breadth first: each function is placed below the referrer nearest to the root.
    var children: [Int: [Int]] = [:]
    var seen: Set = [root]
    var next = [root]
    var place = 0
    while place < next.count {
      for child in (called[next[place]] ?? []).sorted() where seen.insert(child).inserted {
        children[next[place], default: []].append(child)
        next.append(child)
      }
      place += 1
    }
    var open = members.filter { $0 != root && !seen.contains($0) }.map { ($0, 1) } + [(root, 0)]
    while let (number, depth) = open.popLast() {
      ranks[number] = rank
      depths[number] = depth
      rank += 1
      let below = (children[number] ?? []).sorted { (bytes[$0], $1) < (bytes[$1], $0) }
      open += below.map { ($0, depth + 1) }
    }
  }
}
