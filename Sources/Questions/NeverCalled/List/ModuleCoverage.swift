import FirstlightModel

/// The share of a module's code that ran.
package struct ModuleCoverage: Hashable, Sendable {
  var name: String
  /// Functions whose calls runs can show, and the called ones among them.
  var recorded = 0
  var called = 0
  /// Functions that may have run unseen: inlined or without a guard, or recorded by windows alone.
  var unknown = 0
  /// Functions that no run called, and their bytes.
  var neverCalled = 0
  var neverCalledBytes: UInt64 = 0

  init(name: String) { self.name = name }

  var functions: Int { recorded + unknown }

  /// Called functions as a share of all; nil if functions are unknown.
  var share: Double? { unknown > 0 ? nil : shareAtLeast }

  /// The share of called functions if no unknown one ran; nil without functions.
  var shareAtLeast: Double? {
    functions == 0 ? nil : Double(called) / Double(functions)
  }

  mutating func add(_ function: borrowing FunctionReport) {
    guard function.reason != .onlyInTests, let answer = function.verdict.answer else { return }
    if answer == .unknown {
      unknown += 1
      return
    }
    recorded += 1
    if answer == .called { called += 1 }
    if function.verdict == .neverCalled {
      neverCalled += 1
      neverCalledBytes += function.bytes
    }
  }

  mutating func add(_ other: ModuleCoverage) {
    recorded += other.recorded
    called += other.called
    unknown += other.unknown
    neverCalled += other.neverCalled
    neverCalledBytes += other.neverCalledBytes
  }
}

extension DeadCodeReport {
  /// The coverage of each module that has functions with a known verdict; most never-called bytes first.
  package func coverage(where fits: (borrowing FunctionReport) -> Bool = { _ in true })
    -> [ModuleCoverage]
  {
    var modules: [TextBytes: ModuleCoverage] = [:]
    for index in functions.indices where fits(functions[index]) {
      let name = functions[index].moduleLabel
      modules[name, default: ModuleCoverage(name: name)].add(functions[index])
    }
    return modules.values.filter { $0.functions > 0 }
      .sorted { ($1.neverCalledBytes, $0.name) < ($0.neverCalledBytes, $1.name) }
  }
}
