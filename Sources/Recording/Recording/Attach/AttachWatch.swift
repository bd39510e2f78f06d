import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// One engine that watches running programs.
protocol AttachWatch {
  /// The programs that are watched.
  var paths: [String] { get }
  var functionCount: Int { get }
  /// Pages of code that breakpoints make private memory of each process.
  var pageCount: Int { get }
  /// The number of processes that run these programs now.
  var processCount: Int { get }
  var cost: AttachCost { get }

  /// Watches until the time is over, a signal comes, or nothing is left to watch.
  ///
  /// - Parameter seconds: nil: no limit.
  /// - Returns: whether the time is over.
  @discardableResult
  mutating func run(for seconds: Double?, _ signals: SignalWait) throws(Failure) -> Bool

  /// Ends the watch and its recording.
  ///
  /// - Parameter inOrder: else the recording stays as if the watcher were killed: it is incomplete.
  mutating func finish(inOrder: Bool)

  /// The files that it holds open.
  var images: BreakpointImages { get }
  /// As of `ProgramLaunch`.
  var missing: (processes: Int, problems: [String]) { get }
}

/// The cost of a watch for the watched programs.
package struct AttachCost: Equatable {
  /// Stops at watched functions; with ptrace also all its other stops.
  package var hits: UInt64 = 0
  /// Seconds that these stops took, and the longest single time for which the engine held a program or a processor.
  package var stopped = 0.0
  package var longest = 0.0

  static func + (a: AttachCost, b: AttachCost) -> AttachCost {
    AttachCost(
      hits: a.hits + b.hits, stopped: a.stopped + b.stopped, longest: max(a.longest, b.longest))
  }
}

/// The largest share of one processor that a watch may take from its programs.
struct AttachBudget {
  private let share: Double
  private let startedAt = Clock.monotonic()

  init(_ share: Double) { self.share = share }

  /// Whether functions may be added.
  func allows(_ cost: AttachCost) -> Bool {
    cost.stopped <= (Clock.monotonic() - startedAt) * share
  }
}

extension BreakpointImages.Entry {
  /// The number of pages with a watched function.
  var pageCount: Int { Set(addresses.map { $0 / UInt64(sysconf(Int32(_SC_PAGESIZE))) }).count }
}
