/// Orders functions by Balanced Partitioning, so that traces touch few pages, and touch them late.
///
/// The objective: the area under the page-touch curve, which is the sum over all calls of all
/// traces of the pages touched so far (`PageTouch`). Each prefix of a trace is a *utility node*:
/// the set of functions called up to that point, which should lie on few pages. A node's weight is
/// the number of calls that it lasts, so that the sum over nodes is the area; the last node, the
/// whole trace, weighs a tenth of the trace more, since pages also count after the last call.
///
/// The method: the functions, ordered by their median ranks, are cut in two at the page boundary
/// next to the middle. For each node with L functions in the left half and R in the right, `L^0.8 +
/// R^0.8` estimates the pages that it will touch. In each round the functions with the highest gain
/// change sides, the better half of those whose exchange has a positive gain, alternating so that
/// the left half's bytes stay at the cut; one in ten is skipped at random, which keeps whole groups
/// from changing places forever. Then both halves are bisected, down to a page. The first pass does
/// this roughly, a second one refines its order. Finally, windows of four pages, shifted by one
/// page each time, are bisected again; there the real cost of the cut between two pages is known: a
/// page is touched or not.
///
/// Complexity: O(rounds x calls x log(pages)) time, 16 bytes for each call. The nodes of one trace
/// are nested, so suffix sums give each function's gain over all of them in one pass.
///
/// Deterministic: each bucket has its own random seed, and concurrent threads share no data.
///
/// Papers: L. Dhulipala, I. Kabiljo, B. Karrer, G. Ottaviano, S. Pupyrev, A. Shalita, "Compressing
/// Graphs and Indexes with Recursive Graph Bisection", KDD 2016; E. Hoag, K. Lee, J. Mestre,
/// S. Pupyrev, Y. Zhu, "Reordering Functions in Mobile Apps for Reduced Size and Faster Start-Up",
/// ACM TECS 2024 (arXiv 2211.09285). LLVM's implementation uses doubling prefixes as nodes, halves
/// of equal count, and no sizes. Documentation/Ordering.md compares the two.
package enum BalancedPartitioning {
  /// Thoroughness of the successive bisections of the whole order: a cut is good enough once a
  /// round moves at most one in this many of its functions.
  static let thoroughness = [16, 256]
  /// Maximum rounds of exchanges for one cut.
  static let rounds = 15
  /// Share of the exchanges with a gain that is made in one round: each exchange changes the other gains.
  static let sharePerRound = 0.5
  /// Share of the functions that are skipped when it is their turn to change sides.
  static let skipProbability = 0.1
  /// The number of pages grows with this power of the number of called functions.
  static let spread: Float = 0.8
  /// Additional weight of the whole trace, as a share of its calls.
  static let wholeTraceWeight: Float = 0.1
  /// Pages of a window that is bisected again; each shift is done once.
  static let polishPages = 4
  static let polishRounds = 10

  /// The functions that some trace calls, without duplicates.
  package static func order(_ problem: OrderingProblem) -> [Int32] {
    var order = problem.firstCallOrder()
    guard order.count > 1 else { return order }
    for thoroughness in thoroughness {
      order = improved(order, problem, Bisection.Care(rounds: rounds, thoroughness: thoroughness)) {
        $0.bisect($0.root)
      }
    }
    for offset in 0..<polishPages {
      order = improved(order, problem, Bisection.Care(rounds: polishRounds, isPolishing: true)) {
        $0.bisectWindows(pages: polishPages, offset: offset)
      }
    }
    return order
  }

  private static func improved(
    _ order: [Int32], _ problem: OrderingProblem, _ care: Bisection.Care,
    _ body: (Bisection) -> Void
  ) -> [Int32] {
    let bisection = Bisection(problem, functions: order, care: care)
    defer { bisection.deallocate() }
    body(bisection)
    return bisection.order
  }
}

/// One trace's calls within a bucket.
struct BucketTrace {
  /// End of its calls here.
  var end: Int
  /// End of its last node, in calls.
  var finish: Float
}

/// A first call: the function, and the number of earlier first calls in the trace.
struct Call {
  var function: Int32
  var time: Float
}
