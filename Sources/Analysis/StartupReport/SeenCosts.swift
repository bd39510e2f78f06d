/// What stops took of each thread's processor in this very program.
///
/// What was measured beforehand is the most: a processor that has to wake another up is far busier than
/// one that finds it awake, and a tracer that has just handled another thread's stop need not be woken.
/// Which of them it is depends on the program, and on the thread. Between stops that follow each other
/// closely there is little else, so a tenth of a thread's intervals is enough; of all, where it has few.
struct SeenCosts {
  private let costs: OverheadCompensatedClock.Costs
  private var threads: [UInt32: OverheadCompensatedClock.Costs] = [:]

  /// Processor time up to stops: apart and beside, each at breakpoints and at system calls.
  private typealias Times = [[UInt64]]

  private static let fewest = 20

  init(_ costs: OverheadCompensatedClock.Costs, _ stops: [OverheadCompensatedClock.Stop]) {
    let none: Times = [[], [], [], []]
    var all = none
    var seen: [UInt32: Times] = [:]
    for stop in stops {
      guard let share = stop.share, share.isWhole else { continue }
      let kind = (stop.sharesTracerCPU ? 2 : 0) + (stop.isSystemCall ? 1 : 0)
      all[kind].append(share.ran)
      seen[stop.thread, default: none][kind].append(share.ran)
    }
    self.costs = Self.bound(costs, by: all)
    for (thread, times) in seen { threads[thread] = Self.bound(self.costs, by: times) }
  }

  func of(_ stop: OverheadCompensatedClock.Stop) -> OverheadCompensatedClock.StopCost {
    let costs = threads[stop.thread] ?? costs
    return stop.sharesTracerCPU ? costs.beside : costs.apart
  }

  /// The same, had each stop cost so many times as much.
  func scaled(by scale: Double) -> SeenCosts {
    SeenCosts(costs.scaled(by: scale), threads.mapValues { $0.scaled(by: scale) })
  }

  private init(
    _ costs: OverheadCompensatedClock.Costs, _ threads: [UInt32: OverheadCompensatedClock.Costs]
  ) {
    self.costs = costs
    self.threads = threads
  }

  private static func bound(_ costs: OverheadCompensatedClock.Costs, by times: Times)
    -> OverheadCompensatedClock.Costs
  {
    let bounds = times.map { times -> UInt64 in
      times.count < fewest ? .max : times.sorted()[times.count / 10]
    }
    var costs = costs
    costs.apart.running = min(costs.apart.running, bounds[0])
    costs.apart.systemCallRunning = min(costs.apart.systemCallRunning, bounds[1])
    costs.beside.running = min(costs.beside.running, bounds[2])
    costs.beside.systemCallRunning = min(costs.beside.systemCallRunning, bounds[3])
    return costs
  }
}
