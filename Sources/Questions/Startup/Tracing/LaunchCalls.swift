import DebugInfo
import FirstlightModel
import FirstlightTracer

/// The first calls of one process, and their outcomes.
struct LaunchCalls {
  private(set) var made: [RecordedCall] = []
  /// One for each call.
  private(set) var returns: [CallOutcome] = []

  /// - Parameters:
  ///   - end: CLOCK_MONOTONIC, nanoseconds; later calls do not count.
  ///   - base: the beginning of the process, on the program's own clock.
  init(
    _ record: fl_tracer_process, builds: inout LaunchBuilds, until end: UInt64,
    clock: LaunchClock, base: UInt64
  ) {
    builds.add(record)
    // The children of a call that is left out become children of its parent.
    var places: [Int32] = []
    let calls = UnsafeBufferPointer(start: record.calls, count: Int(record.call_count))
    for index in calls.indices where record.returns != nil {
      let call = calls[index]
      let told = record.returns![index]
      let parent = told.parent < 0 ? -1 : places[Int(told.parent)]
      guard let known = builds.place(of: call), call.time <= end else {
        places.append(parent)
        continue
      }
      places.append(Int32(made.count))
      let entry = clock.time(call.time, thread: call.thread)
      made.append(
        RecordedCall(
          build: known.build, guardIndex: known.function, thread: call.thread,
          time: entry - min(entry, base)))
      returns.append(
        Self.outcome(
          call, told, parent: parent, until: end, clock: clock,
          isAsynchronous: AsyncPieces.contains(builds.name(known))))
    }
    sort()
  }

  /// Sorts calls by the program's own clock. The order of breakpoints may differ, because threads were stopped.
  private mutating func sort() {
    let order = made.indices.sorted { (made[$0].time, $0) < (made[$1].time, $1) }
    var places = [Int32](repeating: -1, count: made.count)
    for (place, index) in order.enumerated() { places[index] = Int32(place) }
    made = order.map { made[$0] }
    returns = order.map { index in
      var outcome = returns[index]
      if outcome.parent >= 0 { outcome.parent = places[Int(outcome.parent)] }
      return outcome
    }
  }

  private static func outcome(
    _ entry: fl_tracer_call, _ call: fl_tracer_return, parent: Int32, until over: UInt64,
    clock: LaunchClock, isAsynchronous: Bool
  ) -> CallOutcome {
    var ending: CallOutcome.Ending
    switch fl_tracer_ending(UInt32(call.ending)) {
    case FL_TRACER_RETURNED: ending = call.is_tail_call ? .tailCall : .returned
    case FL_TRACER_RUNNING: ending = .running
    case FL_TRACER_UNWOUND: ending = .unwound
    default: ending = .unseen
    }
    // A call that returned after the start-up was running at its end.
    if call.time > over, ending == .returned { ending = .running }
    var outcome = CallOutcome(
      parent: parent, duration: nil, ending: isAsynchronous ? .asynchronous : ending,
      minorFaults: 0, majorFaults: 0)
    guard call.time != 0 else { return outcome }
    let end = clock.time(min(call.time, over), thread: entry.thread)
    outcome.duration = end - min(end, clock.time(entry.time, thread: entry.thread))
    outcome.minorFaults = call.after.minor &- call.before.minor
    outcome.majorFaults = call.after.major &- call.before.major
    return outcome
  }
}
