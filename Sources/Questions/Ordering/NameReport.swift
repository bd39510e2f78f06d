/// The result of looking up the names of called functions in the target binary.
package struct NameReport: Hashable, Sendable {
  /// Number of functions whose name the target has.
  package var exact = 0
  /// Number of functions found with another clone suffix, or with none.
  package var byCloneSuffix = 0
  /// Number of found functions that the linker folded into another called function.
  package var folded = 0
  /// Names of functions that are missing in the target, in the order of first calls.
  package var gone: [String] = []
  /// Names of functions that several files of the target have: nothing shows which of them was called.
  package var ambiguous: [String] = []
  /// Names of several local functions, present in the target but left out: the linker would move
  /// all of them, and the uncalled ones take more pages than the called ones save.
  package var leftOutLocals: [String] = []

  package var found: Int { exact + byCloneSuffix }

  /// Number of called functions that have a name.
  package var all: Int { found + gone.count + ambiguous.count }

  /// The share of functions found, from 0 to 1; 1 if there are none.
  package var hitRate: Double {
    all == 0 ? 1 : Double(found) / Double(all)
  }
}
