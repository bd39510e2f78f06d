extension Profile {
  /// Leaves out traces until at most `limit` are kept: a sample that depends on nothing but the runs
  /// in the profile, so that merging and sampling in any order end with the same traces.
  ///
  /// A process stays together with those it was forked from and those forked from it, whose traces
  /// continue each other. Such families are kept in the order of a hash of their run and first
  /// process, up to the first that does not fit any more; the very first is kept whatever its size.
  /// Counts of all runs stay as they are.
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

  /// For each process the hash that it shares with its family.
  private func families() -> [UInt64] {
    var parents: [String: String] = [:]
    for process in processes {
      if let parent = process.forkedFrom { parents[process.run + "/" + process.id] = parent }
    }
    return processes.map { process in
      var root = process.id
      // A damaged profile may hold a circle.
      for _ in 0..<processes.count {
        guard let parent = parents[process.run + "/" + root] else { break }
        root = parent
      }
      return FamilyHash.of(run: process.run, root: root)
    }
  }
}

/// What a sample of traces is drawn by: a hash that all processes of one family share.
///
/// A family is a process with all that were forked from it, whose traces continue each other.
package enum FamilyHash {
  /// - Parameters:
  ///   - run: the run's id.
  ///   - root: the id of the family's first process.
  package static func of(run: String, root: String) -> UInt64 { hash(run + "/" + root) }

  /// FNV-1a, then mixed, since its first bits hardly depend on the last letters.
  private static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return hash ^ (hash >> 31)
  }
}
