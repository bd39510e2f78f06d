/// The quality of orders: the memory touched by traces that the orders were not made from.
package struct OrderEvaluation: Sendable {
  package enum Layout: String, Sendable, CaseIterable {
    /// The build's own address order.
    case link
    case firstCall = "first-call"
    case balanced
  }

  package struct Row: Sendable {
    package var layout: Layout
    package var touch: PageTouch
  }

  /// Number of traces that the orders were made from.
  package var trainingTraces: Int
  /// Number of traces that they were tested on.
  package var testTraces: Int
  /// Whether the test traces are different ones. With fewer than five traces none can be held out.
  package var isHeldOut: Bool
  package var pageSize: UInt32
  package var rows: [Row]

  /// One in this many traces is held out.
  static let every = 5

  /// Makes orders from four of five traces, and tests them on the others.
  package init(of code: OrderingInput, pageSize: UInt32) {
    let all = code.problem(pageSize: pageSize)
    isHeldOut = all.traces.count >= Self.every
    var training = all
    var test = all
    var ranks = code.firstRanks
    if isHeldOut {
      let isTest = all.traces.indices.map { $0 % Self.every == Self.every - 1 }
      training.traces = zip(all.traces, isTest).filter { !$0.1 }.map(\.0)
      test.traces = zip(all.traces, isTest).filter(\.1).map(\.0)
      ranks = zip(ranks, isTest).filter { !$0.1 }.map(\.0)
    }
    trainingTraces = training.traces.count
    testTraces = test.traces.count
    self.pageSize = pageSize

    let linkOrder = LinkOrder(of: code.units, sizes: all.sizes)
    rows = [
      Row(layout: .link, touch: linkOrder.touch(of: [], for: test)),
      Row(
        layout: .firstCall,
        touch: linkOrder.touch(of: training.firstCallOrder(firstRanks: ranks), for: test)),
      Row(
        layout: .balanced,
        touch: linkOrder.touch(of: BalancedPartitioning.order(training), for: test)),
    ]
  }
}

/// The positions of functions without an order.
private struct LinkOrder {
  /// Start of each unit, relative to the lowest address.
  var starts: [UInt64]
  var sizes: [UInt32]

  init(of units: [CodeUnit], sizes: [UInt32]) {
    self.sizes = sizes
    let lowest = units.compactMap(\.address).min() ?? 0
    // Rounded down to a multiple of any page size, so that pages match those of the image.
    let base = lowest & ~0xffff
    var end = units.compactMap { unit in unit.address.map { $0 - base + unit.size } }.max() ?? 0
    starts = []
    for (index, unit) in units.enumerated() {
      if let address = unit.address {
        starts.append(address - base)
      } else {
        starts.append(end)
        end += UInt64(sizes[index])
      }
    }
  }

  /// The memory that traces touch if the ordered functions come first, followed by all others in
  /// their original positions.
  func touch(of order: [Int32], for problem: OrderingProblem) -> PageTouch {
    var placed = starts
    var end: UInt64 = 0
    if !order.isEmpty {
      let bytes = order.reduce(UInt64(0)) { $0 + UInt64(sizes[Int($1)]) }
      let rest = (bytes + 0xffff) & ~0xffff
      for index in placed.indices { placed[index] += rest }
    }
    for function in order {
      placed[Int(function)] = end
      end += UInt64(sizes[Int(function)])
    }
    return PageTouch(starts: placed, orderedBytes: end, problem: problem)
  }
}
