/// Orders functions so that traces touch few pages, and late, by Balanced Partitioning.
///
/// What it minimises: the area under the page-touch curve, the sum over all calls of all traces of
/// the pages touched so far (`PageTouch`). Each prefix of a trace is a *utility node*: the set of
/// functions the trace has called by then, which should lie on few pages. A node weighs as many calls
/// as it lasts, so that the sum over nodes is the area; the last one, all that the trace calls,
/// weighs a tenth of the trace more, for pages count also after the last call.
///
/// How: the functions, in the order of their median ranks, are cut in two at the page boundary next
/// to the middle. For each node with L functions in the left half and R in the right, `L^0.8 + R^0.8`
/// estimates the pages that it will touch. Round by round the functions that gain most change sides,
/// the better half of those whose exchange gains anything, in turns that keep the left half's bytes at
/// the cut; one in ten is passed over by chance, which keeps whole groups from changing places
/// forever. Then both halves are bisected, down to a page. The first time this is done
/// roughly, then once more from that order. At last windows of four pages, each time shifted by one, are
/// bisected again, where for the cut between two pages the real cost is known: a page is touched or it is
/// not.
///
/// Complexity: O(rounds x calls x log(pages)) time, 16 bytes a call. The nodes of one trace are
/// nested, so suffix sums give every function's gain over all of them in one pass.
///
/// Deterministic: chance comes from a seed for each bucket; what two threads work on at the same time
/// shares nothing.
///
/// Papers: L. Dhulipala, I. Kabiljo, B. Karrer, G. Ottaviano, S. Pupyrev, A. Shalita, "Compressing
/// Graphs and Indexes with Recursive Graph Bisection", KDD 2016; E. Hoag, K. Lee, J. Mestre,
/// S. Pupyrev, Y. Zhu, "Reordering Functions in Mobile Apps for Reduced Size and Faster Start-Up",
/// ACM TECS 2024 (arXiv 2211.09285). LLVM's implementation has doubling prefixes for nodes, halves of
/// equal count, and no sizes. Documentation/Ordering.md compares the two.
package enum BalancedPartitioning {
  /// One after the other, how thorough the bisections of the whole order are: a cut is good enough
  /// once a round moves no more than one in so many of its functions.
  static let thoroughness = [16, 256]
  /// Most rounds of exchanges for one cut.
  static let rounds = 15
  /// Of the exchanges that gain, the share made in one round: each changes what the others gain.
  static let sharePerRound = 0.5
  /// Of the functions whose turn it is to change sides, the share passed over.
  static let skipProbability = 0.1
  /// Pages grow with this power of the functions called.
  static let spread: Float = 0.8
  /// What the whole of a trace weighs beyond its calls, as a share of them.
  static let wholeTraceWeight: Float = 0.1
  /// Pages of a window in which the order is bisected again; each shift of it is done once.
  static let polishPages = 4
  static let polishRounds = 10

  /// The functions that some trace calls, each once.
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

/// A stretch of the order being sought, with the calls of its functions.
struct Bucket {
  /// Places of its functions.
  var functions: Range<Int>
  /// Places of its functions' calls, trace by trace, each in order.
  var calls: Range<Int>
  /// The traces with at least two calls here.
  var traces: [BucketTrace]
  /// Where it lies in the order, bytes.
  var bytes: Range<UInt64>
  /// 1 for all functions; a bucket's halves have twice its number, and one more.
  var number: UInt64

  /// On how many pages it lies.
  func pages(_ pageSize: UInt64) -> UInt64 {
    guard !bytes.isEmpty else { return 0 }
    return (bytes.upperBound - 1) / pageSize - bytes.lowerBound / pageSize + 1
  }

  /// The page boundary within the bucket that is nearest to its middle; nil if it holds none, so
  /// that no cut can spare a page.
  func cut(pageSize: UInt64) -> UInt64? {
    guard functions.count > 1 else { return nil }
    let middle = bytes.lowerBound + (bytes.upperBound - bytes.lowerBound) / 2
    let below = middle / pageSize * pageSize
    let above = below + pageSize
    let candidates = middle - below < above - middle ? [below, above] : [above, below]
    return candidates.first { $0 > bytes.lowerBound && $0 < bytes.upperBound }
  }
}

/// One trace's calls within a bucket.
struct BucketTrace {
  /// Place past its last call here.
  var end: Int
  /// When its last node ends, in calls.
  var finish: Float
}

/// A first call: which function, and how many first calls its trace made before.
struct Call {
  var function: Int32
  var time: Float
}
