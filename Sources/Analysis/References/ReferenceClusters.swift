import FirstlightModel

/// Which never-called functions can be removed, and which fall with which.
///
/// A function can be removed if all that refer to it can: what is reached from any other is not. Among
/// the rest, circles are one function each (strongly connected components, Tarjan 1972), and a function
/// falls with the one that all ways to it lead through. Takes time in proportion to functions and
/// references.
struct ReferenceClusters {
  /// By subject: the one it falls with, itself if nothing else refers to it; -1: it is not removed.
  private var roots: [Int32] = []
  /// By subject: how many that can be removed refer to it, those of its own circle left out.
  private var referrerCounts: [Int32] = []
  /// By subject that others fall with.
  private var sums: [Int: ReferenceReason.Cluster] = [:]

  init() {}

  /// - Parameters:
  ///   - candidates: by subject, whether only never-called functions refer to it, if any.
  ///   - referrers: by subject, those never-called functions.
  ///   - bytes: by subject.
  init(candidates: [Bool], referrers: [[Int]], bytes: [UInt64]) {
    let calls = Self.inverse(referrers)
    let removable = Self.removable(candidates, calls)
    let circles = Circles(removable, calls)
    roots = Array(repeating: -1, count: candidates.count)
    referrerCounts = Array(repeating: 0, count: candidates.count)
    // Callers come before what they call, so each root is known when it is needed.
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
    // Of a circle, and of what several lead to, one stands for all.
    let own = Int32(circle.max { (bytes[$0], $1) < (bytes[$1], $0) } ?? circle[0])
    for member in circle {
      roots[member] = isShared ? own : root ?? own
      referrerCounts[member] = Int32(count)
    }
  }

  /// Whether a subject can be removed.
  func isRemovable(_ subject: Int) -> Bool { roots[subject] >= 0 }

  /// The subject that a removable one falls with; itself if nothing else refers to it.
  func root(of subject: Int) -> Int { Int(roots[subject]) }

  /// How many removable functions outside of its circle refer to a removable one.
  func referrerCount(of subject: Int) -> Int { Int(referrerCounts[subject]) }

  /// What falls with a subject.
  func cluster(of subject: Int) -> ReferenceReason.Cluster {
    sums[subject] ?? .init(functions: 0, bytes: 0)
  }

  private static func inverse(_ referrers: [[Int]]) -> [[Int]] {
    var calls = [[Int]](repeating: [], count: referrers.count)
    for (subject, list) in referrers.enumerated() {
      for referrer in list { calls[referrer].append(subject) }
    }
    return calls
  }

  /// Candidates that nothing reaches but candidates.
  private static func removable(_ candidates: [Bool], _ calls: [[Int]]) -> [Bool] {
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
