import DebugInfo
import FirstlightModel
import FirstlightTracer
import LaunchAccount

/// A start in which the first call of each function was watched.
struct LaunchCallRun {
  let tree: CallTree
  let profile: Profile

  /// - Parameter outcome: how the program ended, for people.
  init(
    _ session: LaunchSession, _ events: LaunchEvents, cost: RecorderClock.Costs, outcome: String
  ) {
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
        call.time <= events.end.time
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
      id: "\(record.pid)-\(record.start)", run: RunID.make(), pid: record.pid,
      parentPID: record.parent_pid, forkedFrom: nil, path: String(cString: record.path),
      arguments: session.command, startedAt: Double(record.realtime) / 1e9,
      readyAfter: session.until == .exit ? nil : Double(events.since(events.end.time)) / 1e9,
      losses: Losses(drops: Int(record.drops)), calls: kept)
    process.returns = returns
    process.launch = LaunchRecord(events)
    process.marks = Self.marks(session, events)
    profile = Self.profile(process, builds, session: session, events: events, outcome: outcome)
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

  /// What the program said until it was ready, on its own clock.
  private static func marks(_ session: LaunchSession, _ events: LaunchEvents) -> [ProgramMark] {
    let end = events.since(events.end.time)
    return session.told.filter { $0.process.pid == session.mainThread }.flatMap { trace in
      trace.marks.map { mark in
        var mark = mark
        let base = trace.clockBase.monotonic
        let start = events.since(base + mark.time, thread: mark.thread)
        if case .span(let duration?) = mark.kind {
          let end = events.since(base + mark.time + duration, thread: mark.thread)
          mark.kind = .span(duration: max(start, end) - start)
        }
        mark.time = start
        return mark
      }
    }.filter { $0.time <= end }.sorted { $0.time < $1.time }
  }

  private static func profile(
    _ process: RecordedProcess, _ builds: [Build], session: LaunchSession, events: LaunchEvents,
    outcome: String
  ) -> Profile {
    var recorded = builds.map { RecordedBuild(build: $0, runs: 1) }
    for call in process.calls {
      let seen = process.startedAt + Double(call.time) / 1e9
      recorded[Int(call.build)].coverage[Int(call.guardIndex)] = GuardCoverage(
        runs: 1, firstSeen: seen, lastSeen: seen)
    }
    let run = Run(
      id: process.run, command: session.command, host: ThisHost.describe(),
      startedAt: process.startedAt,
      endedAt: process.startedAt + Double(events.since(events.end.time)) / 1e9, outcome: outcome,
      problems: session.images.problems)
    return Profile(builds: recorded, runs: [run], processes: [process])
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
