import DebugInfo
import FirstlightModel
import FirstlightTracer

/// The first calls of one process, and how they ended.
struct LaunchCalls {
  private(set) var made: [RecordedCall] = []
  /// One for each of them.
  private(set) var returns: [CallReturn] = []

  /// - Parameters:
  ///   - end: CLOCK_MONOTONIC, nanoseconds; later calls do not count.
  ///   - since: nanoseconds of the process's own time at such a moment of a thread.
  init(
    _ record: fl_tracer_process, builds: inout LaunchBuilds, until end: UInt64,
    since: (UInt64, UInt32) -> UInt64
  ) {
    builds.add(record)
    // What is left out hands on its children to its parent.
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
      let start = since(call.time, call.thread)
      made.append(
        RecordedCall(
          build: known.build, guardIndex: known.function, thread: call.thread, time: start))
      returns.append(
        Self.outcome(
          told, parent: parent, start: start,
          isAsynchronous: AsyncPieces.contains(builds.name(known)),
          end: told.time == 0 ? nil : since(told.time, call.thread)))
    }
  }

  private static func outcome(
    _ call: fl_tracer_return, parent: Int32, start: UInt64, isAsynchronous: Bool, end: UInt64?
  ) -> CallReturn {
    let ending: CallReturn.Ending
    switch fl_tracer_ending(UInt32(call.ending)) {
    case FL_TRACER_RETURNED: ending = call.is_tail_call ? .tailCall : .returned
    case FL_TRACER_RUNNING: ending = .running
    case FL_TRACER_UNWOUND: ending = .unwound
    default: ending = .unseen
    }
    let hasReturned = end != nil
    return CallReturn(
      parent: parent, duration: end.map { $0 - min($0, start) },
      ending: isAsynchronous ? .asynchronous : ending,
      minorFaults: hasReturned ? call.after.minor &- call.before.minor : 0,
      majorFaults: hasReturned ? call.after.major &- call.before.major : 0)
  }
}
