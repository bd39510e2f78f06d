import DebugInfo
import FirstlightModel
import FirstlightTracer
import LaunchAccount

/// A start in which the first call of each function was watched.
struct LaunchCallRun {
  let tree: CallTree
  let process: RecordedProcess
  let builds: [Build]

  init(_ session: LaunchSession, _ events: LaunchEvents, cost: RecorderClock.StopCost) {
    let reader = LaunchEventReader(session: session, cost: cost)
    let all = reader.session.processes
    let place = all.lastIndex { $0.pid == session.mainThread && $0.forked_from < 0 }!
    let record = all[place]
    var builds: [Build] = []
    // The function index of each address, by image.
    var indices: [UInt32: (build: Int32, index: [UInt64: UInt32])] = [:]
    for image in UnsafeBufferPointer(start: record.images, count: Int(record.image_count))
    where image.image < session.images.entries.count && indices[image.image] == nil {
      let entry = session.images.entries[Int(image.image)]
      guard let (debugImage, entries) = entry.functions else { continue }
      let build = debugImage.symbolBuild(recordedPath: entry.path, entries: entries)
      let index = Dictionary(
        uniqueKeysWithValues: entries.addresses.enumerated().map { ($1, UInt32($0)) })
      indices[image.image] = (Int32(builds.count), index)
      builds.append(build)
    }
    var kept: [RecordedCall] = []
    var returns: [CallReturn] = []
    // Landmarks that are no function of a build are left out; what they called has their parent.
    var places: [Int32] = []
    let calls = UnsafeBufferPointer(start: record.calls, count: Int(record.call_count))
    for index in calls.indices {
      let call = calls[index]
      let end = record.returns![index]
      let parent = end.parent < 0 ? -1 : places[Int(end.parent)]
      let address =
        call.image < session.images.entries.count
        ? session.images.entries[Int(call.image)].addresses[Int(call.function)] : nil
      guard let known = indices[call.image], let address, let function = known.index[address],
        events.since(call.time, thread: call.thread) <= events.since(events.end.time)
      else {
        places.append(parent)
        continue
      }
      places.append(Int32(kept.count))
      let start = events.since(call.time, thread: call.thread)
      kept.append(
        RecordedCall(build: known.build, guardIndex: function, thread: call.thread, time: start))
      let name = builds[Int(known.build)].functions[Int(function)].name
      returns.append(
        Self.outcome(
          end, parent: parent, start: start, isAsynchronous: AsyncPieces.contains(name),
          end: end.time == 0 ? nil : events.since(end.time, thread: call.thread)))
    }
    var process = RecordedProcess(
      id: "\(record.pid)-\(record.start)", run: "launch", pid: record.pid,
      parentPID: record.parent_pid, forkedFrom: nil, path: String(cString: record.path),
      arguments: session.command, startedAt: Double(record.realtime) / 1e9,
      readyAfter: session.until == .exit ? nil : Double(events.since(events.end.time)) / 1e9,
      losses: Losses(drops: Int(record.drops)), calls: kept)
    process.returns = returns
    process.launch = LaunchRecord(events)
    self.process = process
    self.builds = builds
    tree = CallTree(
      zip(kept, returns).map { call, outcome in
        let build = builds[Int(call.build)]
        let function = build.functions[Int(call.guardIndex)]
        return CallTree.Call(
          name: function.demangledName, file: function.file, line: function.line,
          image: build.name, thread: call.thread, time: call.time, outcome: outcome)
      }, functionCount: builds.reduce(0) { $0 + $1.functions.count },
      cost: events.clock.costOfMainThread, stops: events.clock.stopCount)
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
