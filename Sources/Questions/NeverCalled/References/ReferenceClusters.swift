import FirstlightModel

/// Finds the removable never-called functions, and which of them fall together.
///
/// A function is removable if all functions that refer to it are: functions reachable from any
/// other code are not. Among the removable ones, a cycle counts as one function (strongly connected
/// components, Tarjan 1972), and a function falls with the one that all paths to it pass through.
/// Takes time proportional to functions and references.
struct ReferenceClusters {
  /// By subject: the subject it falls with, or itself if nothing else refers to it; -1 if not removable.
  private var roots: [Int32] = []
  /// By subject: number of removable subjects that refer to it, without those of its own cycle.
  private var referrerCounts: [Int32] = []
  /// Sizes by subject that others fall with.
  private var sums: [Int: ReferenceReason.Cluster] = [:]

  init() {}

  /// - Parameters:
  ///   - candidates: by subject, whether nothing but never-called functions refers to it.
  ///   - referrers: by subject, those never-called functions.
  ///   - bytes: by subject, the size of its code.
  init(candidates: [Bool], referrers: [[Int]], bytes: [UInt64]) {
    let calls = Self.inverse(referrers)
    let removable = Self.removable(candidates, calls)
    let circles = Circles(removable, calls)
    roots = Array(repeating: -1, count: candidates.count)
    referrerCounts = Array(repeating: 0, count: candidates.count)
    // Callers come before their callees, so each root is known when needed.
    for circle in circles.members.reversed() {
      addCircle(circle, circles, referrers, removable, bytes)
    }
    for subject in roots.indices where roots[subject] >= 0 {
      sums[Int(roots[subject]), default: .init(functions: 0, bytes: 0)].functions += 1
      sums[Int(roots[subject]), default: .init(functions: 0, bytes: 0)].bytes += bytes[subject]
    }
  }

  private mutating func addCircle(
    _ circle: [Int], _ circles: Circles, _ referrers: [[Int]], _ removable: [Bool],
    _ bytes: [UInt64]
  ) {
    var root: Int32?
    var isShared = false
    var count = 0
    for member in circle {
      for referrer in referrers[member]
      where removable[referrer] && circles.numbers[referrer] != circles.numbers[member] {
        count += 1
        if root == nil {
          root = roots[referrer]
        } else if root != roots[referrer] {
          isShared = true
        }
      }
    }
    // One subject represents a cycle, or functions with several referrers.
    let own = Int32(circle.max { (bytes[$0], $1) < (bytes[$1], $0) } ?? circle[0])
    for member in circle {
      roots[member] = isShared ? own : root ?? own
      referrerCounts[member] = Int32(count)
    }
  }

  /// Whether a subject is removable.
  func isRemovable(_ subject: Int) -> Bool { roots[subject] >= 0 }

  /// The subject that a removable one falls with; itself if nothing else refers to it.
  func root(of subject: Int) -> Int { Int(roots[subject]) }

  /// Number of removable functions outside its cycle that refer to a removable one.
  func referrerCount(of subject: Int) -> Int { Int(referrerCounts[subject]) }

  /// The functions that fall with a subject.
  func cluster(of subject: Int) -> ReferenceReason.Cluster {
    sums[subject] ?? .init(functions: 0, bytes: 0)
  }

  static func inverse(_ referrers: [[Int]]) -> [[Int]] {
    var calls = [[Int]](repeating: [], count: referrers.count)
    for (subject, list) in referrers.enumerated() {
      for referrer in list { calls[referrer].append(subject) }
    }
    return calls
  }

  /// Candidates that are reachable only from candidates.
  static func removable(_ candidates: [Bool], _ calls: [[Int]]) -> [Bool] {
    var removable = candidates
    var reached = candidates.indices.filter { !candidates[$0] }
    while let subject = reached.popLast() {
      for called in calls[subject] where removable[called] {
        removable[called] = false
        reached.append(called)
      }
    }
    return removable
  }
}
