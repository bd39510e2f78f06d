import DebugInfo
import FirstlightModel
import FirstlightTracer

/// Reports the conformance look-ups of a start in which each of them stopped.
struct LookupReader {
  let session: LaunchSession
  let events: LaunchEvents
  /// Nanoseconds that all threads ran in untraced starts; nil: unknown.
  let cpuTime: UInt64?

  /// The look-ups of the start in which they take the least time, because other processes only add time; nil:
  /// the program made none.
  static func leastDisturbed(_ readers: [LookupReader]) -> ConformanceLookups? {
    let accounts = readers.compactMap { reader in reader.lookups().map { (reader, $0) } }
    let least = accounts.min { $0.1.lookups.duration < $1.1.lookups.duration }
    guard case (let reader, (var lookups, let stacks))? = least else { return nil }
    lookups.set(
      callers: LookupCallers.callers(stacks, mappings: reader.session.tracer.lookups.mappings))
    return lookups
  }

  /// The look-ups without their callers, and the stack of each.
  private func lookups() -> (lookups: ConformanceLookups, stacks: [CopiedStack])? {
    let processes = session.tracer.processes
    let observer = session.tracer.lookups
    guard !observer.questions.isEmpty, Int(observer.record) < processes.count else { return nil }
    let process = processes[Int(observer.record)]
    let calls = UnsafeBufferPointer(start: process.calls, count: Int(process.call_count))
    var lookups: [ConformanceLookups.Lookup] = []
    var stacks: [CopiedStack] = []
    // The place in `lookups` of each call, or of the look-up around it.
    var places: [Int?] = []
    var marksScans = false
    for index in calls.indices {
      let call = calls[index]
      let told = process.returns![index]
      let parent = told.parent < 0 ? nil : places[Int(told.parent)]
      let place = self.place(of: call)
      if case .scan? = place {
        marksScans = true
        if let parent { lookups[parent].scanned = true }
      }
      guard case .lookup? = place, call.time <= events.end.time,
        let question = observer.questions[UInt32(index)]
      else {
        places.append(parent)
        continue
      }
      places.append(lookups.count)
      stacks.append(question.stack)
      lookups.append(
        ConformanceLookups.Lookup(
          type: question.type, proto: question.proto, thread: call.thread, parent: parent,
          duration: duration(call, told),
          stops: stops(call, told),
          conforms: hasReturned(told) ? told.result != 0 : nil))
    }
    // A stripped runtime has no symbol for the end of a scan, so it is unknown which look-ups scanned.
    if !marksScans { for index in lookups.indices { lookups[index].scanned = nil } }
    return (
      ConformanceLookups(lookups, mainThread: events.mainThread, cpuTime: cpuTime), stacks
    )
  }

  private func place(of call: fl_tracer_call) -> LaunchImages.Place? {
    guard call.image < session.images.entries.count else { return nil }
    let entry = session.images.entries[Int(call.image)]
    return entry.place(entry.addresses[Int(call.function)])
  }

  private func stops(_ call: fl_tracer_call, _ told: fl_tracer_return) -> Int {
    told.time == 0
      ? 0
      : events.clock.stopCount(min(told.time, events.end.time), thread: call.thread)
        - events.clock.stopCount(call.time, thread: call.thread)
  }

  /// Whether a look-up returned before the start-up was over.
  private func hasReturned(_ told: fl_tracer_return) -> Bool {
    told.time != 0 && told.time <= events.end.time
  }

  /// Nanoseconds until its return or the end of the start-up; 0 if the return was not seen.
  private func duration(_ call: fl_tracer_call, _ told: fl_tracer_return) -> UInt64 {
    guard told.time != 0 else { return 0 }
    let (clock, thread) = (events.clock, call.thread)
    let end = clock.time(min(told.time, events.end.time), thread: thread)
    return end - min(end, clock.time(call.time, thread: thread))
  }
}
