/// The result of looking up the names of called functions in the target binary.
package struct NameReport: Hashable, Sendable {
  /// Number of names in the target.
  package var exact = 0
  /// Number of names found with another clone suffix, or with none.
  package var byCloneSuffix = 0
  /// Number of found names that the linker folded into another called function.
  package var folded = 0
  /// Names missing in the target, in the order of first calls.
  package var gone: [String] = []
  /// Names of several local functions, present in the target but left out: the linker would move
  /// all of them, and the uncalled ones take more pages than the called ones save.
  package var leftOutLocals: [String] = []

  package var found: Int { exact + byCloneSuffix }

  /// The share of names found, from 0 to 1; 1 if there is no name.
  package var hitRate: Double {
    let all = found + gone.count
    return all == 0 ? 1 : Double(found) / Double(all)
  }
}
