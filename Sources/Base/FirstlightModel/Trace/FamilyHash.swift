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
