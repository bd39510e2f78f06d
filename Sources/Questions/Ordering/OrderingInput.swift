import FirstlightModel
import SystemSupport

/// A piece of code that a linker moves as a whole, with one or several names.
struct CodeUnit: Hashable, Sendable {
  /// Names for the linker, the best first.
  package var names: [String]
  /// Size in bytes; 0 if unknown.
  var size: UInt64
  /// Link-time address; nil if unknown.
  var address: UInt64?
}

/// The code that the traces of one build called, in units that a linker can move.
package struct OrderingInput: Sendable {
  package let buildID: BuildID
  /// The build's path at the time of the recording.
  package let path: String
  var units: [CodeUnit] = []
  /// For each process with first calls of this build, its units in order, without duplicates.
  package internal(set) var traces: [[Int32]] = []
  /// The rank of each trace's first call: a forked process continues its parent's trace.
  package internal(set) var firstRanks: [Int32] = []
  /// Called units without a kept trace, those with most runs first.
  package internal(set) var untraced: [Int32] = []
  /// Number of called functions.
  package internal(set) var calledFunctions = 0
  /// Number of called functions without linker name: no symbol has their address.
  package internal(set) var namelessFunctions = 0
  package internal(set) var runs = 0
  /// Number of processes that called a function, even if their traces were left out.
  package internal(set) var processes = 0
  /// Nil without a target.
  package internal(set) var names: NameReport?

  /// The ordering problem for the units; sizes are rounded up to 16 bytes, the usual alignment of
  /// functions.
  package func problem(pageSize: UInt32) -> OrderingProblem {
    OrderingProblem(
      sizes: units.map { UInt32(clamping: (max($0.size, 1) + 15) / 16 * 16) }, traces: traces,
      pageSize: pageSize)
  }

  /// An order of all units: the traced ones according to the strategy, then the untraced ones.
  package func order(_ strategy: OrderingStrategy, pageSize: UInt32) -> [Int32] {
    strategy.order(problem(pageSize: pageSize), firstRanks: firstRanks) + untraced
  }

  /// Checks that there are functions to order, and that the target binary contains them.
  ///
  /// - Parameters:
  ///   - target: path of the target binary; nil for the recorded one.
  ///   - minimumHitRate: required share of called functions in the target, from 0 to 1.
  /// - Throws: `Failure` of kind `data` with advice.
  func check(target: String?, minimumHitRate: Double?) throws(Failure) {
    if units.isEmpty { throw nothing(in: target) }
    guard let names, let target, let minimumHitRate, names.hitRate < minimumHitRate else { return }
    throw Failure(
      .data,
      "\(target): contains only \(NumberText.share(names.hitRate)) of the called functions, "
        + "less than \(NumberText.share(minimumHitRate))",
      advice: "record again with a build of the same sources")
  }

  /// Checks that the profile has traces to compare.
  ///
  /// - Throws: `Failure` of kind `data` with advice.
  package func checkTraces() throws(Failure) {
    guard traces.isEmpty else { return }
    throw Failure(
      .data, "no trace calls a function that can be ordered: nothing to evaluate",
      advice: "record a run of the program's main task")
  }

  private func nothing(in target: String?) -> Failure {
    if calledFunctions == 0 {
      return Failure(
        .data, "\(path): none of its functions was called in these runs",
        advice: "record a run that uses it, or choose another binary with --image")
    }
    if let names, names.all > 0 {
      return Failure(
        .data,
        "\(target ?? ""): contains none of the \(CountText.text(names.all, "function")) "
          + "called in \(path)",
        advice: "use a binary built from the same sources")
    }
    return Failure(
      .data, "\(path): its functions have no names",
      advice: "record a binary that is not stripped")
  }
}

/// The input of an ordering strategy: functions by index, and the traces that called them.
package struct OrderingProblem: Sendable {
  /// Size of each function in the image, up to the start of the next one, bytes.
  package var sizes: [UInt32]
  /// For each process, the functions in the order of their first calls, without duplicates.
  package var traces: [[Int32]]
  /// Page size in bytes, a power of two.
  package var pageSize: UInt32

  package init(sizes: [UInt32], traces: [[Int32]], pageSize: UInt32 = UInt32(PageSize.reported)) {
    self.sizes = sizes
    self.traces = traces
    self.pageSize = pageSize
  }
}

extension OrderingProblem {
  /// The called functions, sorted by the median of their ranks in the traces that call them; of
  /// equal ones, the one with more traces comes first, then the lower index.
  ///
  /// - Parameter firstRanks: the rank of each trace's first call, that is, where a forked process
  ///   joins its parent's trace. Empty if all are 0.
  /// - Complexity: O(n log n) in the number of calls.
  package func firstCallOrder(firstRanks: [Int32] = []) -> [Int32] {
    // The ranks of each function are consecutive, as in a compressed sparse row.
    var starts = [Int32](repeating: 0, count: sizes.count + 1)
    for trace in traces { for function in trace { starts[Int(function) + 1] += 1 } }
    for function in sizes.indices { starts[function + 1] += starts[function] }
    var ranks = [Int32](repeating: 0, count: Int(starts[sizes.count]))
    var next = starts
    for (index, trace) in traces.enumerated() {
      let base = index < firstRanks.count ? firstRanks[index] : 0
      for (rank, function) in trace.enumerated() {
        ranks[Int(next[Int(function)])] = base + Int32(rank)
        next[Int(function)] += 1
      }
    }
    var places: [(median: Int32, traces: Int32, function: Int32)] = []
    for function in sizes.indices where starts[function + 1] > starts[function] {
      let own = ranks[Int(starts[function])..<Int(starts[function + 1])].sorted()
      let middle = own.count / 2
      // Twice the median, so that it is an integer.
      let median = own.count % 2 == 1 ? 2 * own[middle] : own[middle - 1] + own[middle]
      places.append((median, Int32(own.count), Int32(function)))
    }
    places.sort {
      if $0.median != $1.median { return $0.median < $1.median }
      if $0.traces != $1.traces { return $0.traces > $1.traces }
      return $0.function < $1.function
    }
    return places.map(\.function)
  }
}
