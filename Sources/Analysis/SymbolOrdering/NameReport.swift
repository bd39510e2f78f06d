/// How the names of called functions fared in the binary that is to be linked.
package struct NameReport: Hashable, Sendable {
  /// Names the target has.
  package var exact = 0
  /// Names found with another clone suffix, or with none.
  package var byCloneSuffix = 0
  /// Of those found, how many the linker folded into another function that was called, too.
  package var folded = 0
  /// Names the target does not have, in the order of first calls.
  package var gone: [String] = []
  /// Names of several local functions that are in the target and yet left out: the linker would
  /// move all functions of that name, and those not called take more pages than the called ones save.
  package var leftOutLocals: [String] = []

  package var found: Int { exact + byCloneSuffix }

  /// The share of names found, from 0 to 1; 1 if there is no name.
  package var hitRate: Double {
    let all = found + gone.count
    return all == 0 ? 1 : Double(found) / Double(all)
  }
}
