/// The compiler's counters of a build: one for each function of the source, set before inlining. Functions that
/// the optimiser removed have one, too.
package struct SourceCounters: Sendable, Equatable {
  /// Runs whose counters were read.
  package var runs = 0
  /// Sorted by file, line and name; each name once on a line.
  package private(set) var functions: [CountedFunction] = []

  package init() {}

  package var isEmpty: Bool { functions.isEmpty }

  /// The counters of one or many runs. A function with copies in several object files counts once, by its name
  /// and place. Objects made from one file with other macros may have other functions.
  package init(runs: Int, _ functions: [CountedFunction]) {
    self.runs = runs
    unite(functions) { $0.isCalled ? $0 : $1 }
  }

  /// The counters of a build: its functions with a place.
  ///
  /// - Parameters:
  ///   - build: recorded by counters.
  ///   - seen: the coverage of a record.
  package init(runs: Int, of build: Build, seen: (Int) -> GuardCoverage) {
    let counted = build.functions.enumerated().compactMap { record, function in
      CountedFunction(function, seen: seen(record))
    }
    // What the optimizer removed never ran.
    self.init(runs: runs, counted + build.unguarded.compactMap { CountedFunction($0) })
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
    _ more: [CountedFunction], _ sum: (GuardCoverage, GuardCoverage) -> GuardCoverage
  ) {
    guard !more.isEmpty else { return }
    var places: [CountedFunction.Key: Int] = [:]
    for (place, function) in functions.enumerated() { places[function.key] = place }
    for function in more {
      if let place = places[function.key] {
        functions[place].seen = sum(functions[place].seen, function.seen)
      } else {
        places[function.key] = functions.count
        functions.append(function)
      }
    }
    functions.sort { ($0.file, $0.line, $0.name) < ($1.file, $1.line, $1.name) }
  }
}

/// A function of the source with its counter.
package struct CountedFunction: Hashable, Sendable {
  /// The linker's name, which the binary need not have.
  package var name: String
  package var demangledName: String
  /// The Swift module; empty for other languages.
  package var module: String
  package var file: String
  /// The line where the function's body begins.
  package var line: Int
  /// Whether the linker keeps the name local to one object file.
  package var isLocal: Bool
  /// Runs that counted it. The times are those of the runs, which lasted at least from the first to the last call.
  package var seen: GuardCoverage

  package init(
    name: String, demangledName: String, module: String, file: String, line: Int,
    isLocal: Bool = false, seen: GuardCoverage = GuardCoverage()
  ) {
    self.name = name
    self.demangledName = demangledName
    self.module = module
    self.file = file
    self.line = line
    self.isLocal = isLocal
    self.seen = seen
  }

  /// Nil without a place.
  fileprivate init?(_ function: Function, seen: GuardCoverage = GuardCoverage()) {
    guard let file = function.file else { return nil }
    self.init(
      name: function.name, demangledName: function.demangledName, module: function.module,
      file: file, line: function.line, isLocal: function.isLocal, seen: seen)
  }

  fileprivate struct Key: Hashable {
    @TextBytes var name: String
    @TextBytes var file: String
    var line: Int
  }

  fileprivate var key: Key { Key(name: name, file: file, line: line) }
}
