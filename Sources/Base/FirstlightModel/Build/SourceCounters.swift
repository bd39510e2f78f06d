/// The compiler's counters of a build: one for each function of the source, set before inlining. Functions that
/// the optimiser removed have one, too.
package struct SourceCounters: Sendable, Equatable {
  /// Runs whose counters were read.
  package var runs = 0
  /// Sorted by file, line and name; each name once on a line.
  package private(set) var functions: [Function] = []

  package init() {}

  package var isEmpty: Bool { functions.isEmpty }

  /// The counters of one or many runs. A function with copies in several object files counts once, by its name
  /// and place. Objects made from one file with other macros may have other functions.
  package init(runs: Int, _ functions: [Function]) {
    self.runs = runs
    unite(functions) { $0.isCalled ? $0 : $1 }
  }

  /// - Parameter functions: in the order of `functions`.
  init(runs: Int, sorted functions: [Function]) {
    (self.runs, self.functions) = (runs, functions)
  }

  /// The counters of a build: its functions with a place.
  ///
  /// - Parameters:
  ///   - build: recorded by counters.
  ///   - seen: the coverage of a record.
  package init(runs: Int, of build: Build, seen: (Int) -> GuardCoverage) {
    let counted = build.functions.indices.compactMap { index -> Function? in
      let function = build.functions[index]
      guard function.file != nil else { return nil }
      // What the optimizer removed never ran. (Swift 6.3.1 crashes on guardIndex.map in release builds.)
      let seen =
        if case .guarded(let index) = function.code { seen(Int(index)) } else { GuardCoverage() }
      var counted = function.named(code: .counted(seen))
      counted.isLocal = function.isLocal
      return counted
    }
    self.init(runs: runs, counted)
  }

  /// Adds the counters of other runs.
  package mutating func add(_ other: SourceCounters) {
    runs = runs.addingClamped(other.runs)
    unite(other.functions) {
      var sum = $0
      sum.add($1)
      return sum
    }
  }

  private mutating func unite(
    _ more: [Function], _ sum: (GuardCoverage, GuardCoverage) -> GuardCoverage
  ) {
    guard !more.isEmpty else { return }
    var places: [Function.Counter: Int] = [:]
    for (place, function) in functions.enumerated() { places[function.counter] = place }
    for function in more {
      if let place = places[function.counter] {
        functions[place].counted = sum(functions[place].counted, function.counted)
      } else {
        places[function.counter] = functions.count
        functions.append(function)
      }
    }
    functions.sort { ($0.file ?? "", $0.line, $0.name) < ($1.file ?? "", $1.line, $1.name) }
  }
}

extension Function {
  /// What the counters of several objects and runs have in common.
  fileprivate struct Counter: Hashable {
    @TextBytes var name: String
    @TextBytes var file: String
    var line: Int
  }

  fileprivate var counter: Counter { Counter(name: name, file: file ?? "", line: line) }
}
