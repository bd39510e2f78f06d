extension Profile {
  /// Leaves out traces until at most `limit` remain. The sample depends only on the runs in the
  /// profile, so merging and sampling in any order give the same traces.
  ///
  /// A family, a process with its ancestors and descendants by fork, is kept or left out as a
  /// whole, since its traces continue each other. Families are kept in the order of a hash of their
  /// run and first process, up to the first that exceeds the limit; the very first is always kept.
  /// Counts of all runs stay unchanged.
  package mutating func keepTraces(atMost limit: Int) {
    guard processes.count(where: \.hasTrace) > limit else { return }
    let families = families()
    var sizes: [UInt64: Int] = [:]
    for (process, family) in zip(processes, families) where process.hasTrace {
      sizes[family, default: 0] += 1
    }
    var kept: Set<UInt64> = []
    var count = 0
    for (family, size) in sizes.sorted(by: { $0.key < $1.key }) {
      count += size
      if count > limit, !kept.isEmpty { break }
      kept.insert(family)
    }
    for index in processes.indices where !kept.contains(families[index]) {
      processes[index].leaveOutTrace()
    }
  }

  /// The family hash of each process.
  private func families() -> [UInt64] {
    var parents: [TextBytes: String] = [:]
    for process in processes {
      if let parent = process.forkedFrom { parents[process.run + "/" + process.id] = parent }
    }
    return processes.map { process in
      var root = process.id
      // A damaged profile may contain a cycle.
      for _ in 0..<processes.count {
        guard let parent = parents[process.run + "/" + root] else { break }
        root = parent
      }
      return FamilyHash.of(run: process.run, root: root)
    }
  }
}

/// The hash for sampling traces; all processes of one family share it.
///
/// A family is a process with all its descendants by fork, whose traces continue each other.
package enum FamilyHash {
  /// - Parameters:
  ///   - run: the run's id.
  ///   - root: the id of the family's first process.
  package static func of(run: String, root: String) -> UInt64 { hash(run + "/" + root) }

  /// FNV-1a with a final mix, since its first bits hardly depend on the last letters.
  private static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a.hash(of: text.utf8)
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return hash ^ (hash >> 31)
  }
}
