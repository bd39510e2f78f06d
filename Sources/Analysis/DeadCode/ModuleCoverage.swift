/// The share of a module's code that ran.
package struct ModuleCoverage: Hashable, Sendable {
  package var name: String
  /// Functions whose calls runs can show, and the called ones among them. Functions that may have been inlined,
  /// and those without a guard, do not count.
  package var recorded = 0
  package var called = 0
  /// Functions that no run called, but that may have run inside a caller: debug information is missing; or that only
  /// windows recorded. If there is any, the share of called functions is unknown.
  package var unknown = 0
  /// Functions that no run called, and their bytes.
  package var neverCalled = 0
  package var neverCalledBytes: UInt64 = 0

  package init(name: String) { self.name = name }

  /// Called functions as a share of the recorded ones; nil if it is unknown.
  package var share: Double? {
    unknown > 0 || recorded == 0 ? nil : Double(called) / Double(recorded)
  }

  mutating func add(_ function: borrowing FunctionReport) {
    if function.reason == .onlyInTests { return }
    if function.reason == .noDebugInformation || function.verdict == .notCalledWhileWatched {
      unknown += 1
    }
    switch function.verdict {
    case .called, .belowThreshold: called += 1
    case .neverCalled:
      neverCalled += 1
      neverCalledBytes += function.bytes
    case .kept: break
    case .compilerGenerated, .inlined, .notInstrumented, .notCalledWhileWatched, .unwatched,
      .dropped, .folded: return
    }
    recorded += 1
  }

  package mutating func add(_ other: ModuleCoverage) {
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
    var modules: [String: ModuleCoverage] = [:]
    for index in functions.indices where fits(functions[index]) {
      let name = functions[index].moduleLabel
      modules[name, default: ModuleCoverage(name: name)].add(functions[index])
    }
    return modules.values.filter { $0.recorded > 0 || $0.unknown > 0 }
      .sorted { ($1.neverCalledBytes, $0.name) < ($0.neverCalledBytes, $1.name) }
  }
}
