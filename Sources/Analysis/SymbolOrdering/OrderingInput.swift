import FirstlightModel

/// A piece of code that a linker moves as a whole, under one or several names.
package struct CodeUnit: Hashable, Sendable {
  /// Names to give the linker, the best first.
  package var names: [String]
  /// Bytes; 0 if unknown.
  package var size: UInt64
  /// Link-time address; nil if unknown.
  package var address: UInt64?

  package init(names: [String], size: UInt64, address: UInt64?) {
    self.names = names
    self.size = size
    self.address = address
  }
}

/// What the traces of one build called, in units that a linker can move.
package struct OrderingInput: Sendable {
  package internal(set) var units: [CodeUnit] = []
  /// For each process with first calls of this build, its units in order, none twice.
  package internal(set) var traces: [[Int32]] = []
  /// For each trace the rank of its first call: a forked process continues its parent's trace.
  package internal(set) var firstRanks: [Int32] = []
  /// Units that are in no trace that was kept, though runs called them: most runs first.
  package internal(set) var untraced: [Int32] = []
  /// Functions that were called.
  package internal(set) var calledFunctions = 0
  /// Called functions that have no linker name: no symbol starts where they do.
  package internal(set) var namelessFunctions = 0
  package internal(set) var runs = 0
  /// Processes that called one of the functions, also those whose traces were left out.
  package internal(set) var processes = 0
  /// Nil without a target.
  package internal(set) var names: NameReport?

  /// The units as a problem to find an order for; sizes are rounded up to 16 bytes, which is what
  /// compilers align functions to.
  package func problem(pageSize: UInt32) -> OrderingProblem {
    OrderingProblem(
      sizes: units.map { UInt32(clamping: (max($0.size, 1) + 15) / 16 * 16) }, traces: traces,
      pageSize: pageSize)
  }

  /// An order of all units: those of the traces as the strategy says, then those of no trace.
  package func order(_ strategy: OrderingStrategy, pageSize: UInt32) -> [Int32] {
    strategy.order(problem(pageSize: pageSize), firstRanks: firstRanks) + untraced
  }
}
