import DebugInfo
import FirstlightModel
import FirstlightTracer
import Ordering
import Recording
import SystemSupport

/// A start with the first call of each function watched.
package struct LaunchCallRun {
  /// The calls of the report's program.
  let tree: CallTree
  /// The profile of all traced processes. The report's program comes first.
  package var profile: Profile

  init(
    _ session: LaunchSession, _ events: LaunchEvents, scale: Double, ending: RunEnding
  ) {
    let processes = session.tracer.processes
    let main = processes.lastIndex { $0.pid == session.tracer.mainThread && $0.forked_from < 0 }!
    var builds = LaunchBuilds(session.images.entries)
    // All processes use one clock, which begins with the request for the command.
    let clock = events.clock
    let run = RunID.make()
    let ids = processes.enumerated().map { "\($1.pid)-\($1.start)-\($0)" }
    var watched: [RecordedProcess] = []
    for place in [main] + processes.indices.filter({ $0 != main }) {
      let record = processes[place]
      let isMain = place == main
      // The report's stages count from the request, and so do its program's calls.
      let base =
        isMain ? events.requested : clock.time(record.monotonic, thread: record.pid)
      let calls = LaunchCalls(
        record, builds: &builds, until: events.end.time, clock: clock, base: base)
      if !isMain, calls.made.isEmpty { continue }
      let command = UnsafeBufferPointer(start: record.command, count: Int(record.command_size))
      var process = RecordedProcess(
        id: ids[place], run: run, pid: record.pid, parentPID: record.parent_pid,
        forkedFrom: record.forked_from < 0 ? nil : ids[Int(record.forked_from)],
        path: String(cString: record.path),
        arguments: isMain ? session.command : Self.words(command),
        startedAt: Double(processes[main].realtime) / 1e9
          + (Double(base) - Double(processes[main].monotonic)) / 1e9,
        readyAfter: isMain && session.until != .exit
          ? Double(events.since(events.end.time)) / 1e9 : nil,
        losses: Losses(
          drops: Int(record.drops), unrecordedProcesses: Int(record.unrecorded)),
        calls: calls.made)
      process.returns = calls.returns
      process.marks = Self.marks(session, events, of: record.pid) { time, thread in
        let own = clock.time(time, thread: thread)
        return own - min(own, base)
      }
      if isMain {
        process.launch = LaunchRecord(events)
        process.launch?.scale = scale
      }
      watched.append(process)
    }
    profile = Self.profile(watched, builds.all, session: session, events: events, ending: ending)
    tree = CallTree(
      zip(watched[0].calls, watched[0].returns).map { call, outcome in
        let build = builds.all[Int(call.build)]
        let function = build.functions[Int(call.guardIndex)]
        return CallTree.Call(
          name: function.demangledName, file: function.file, line: function.line,
          image: build.name, thread: call.thread, time: call.time, outcome: outcome)
      }, functionCount: builds.functionCount(of: processes[main]),
      scale: scale)
  }

  /// A command line in the kernel's form: words that each end with NUL.
  private static func words(_ command: UnsafeBufferPointer<CChar>) -> [String] {
    command.split(separator: 0).map {
      String(decoding: $0.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// The marks that a process set until the end of the start-up, on its own clock.
  private static func marks(
    _ session: LaunchSession, _ events: LaunchEvents, of pid: UInt32,
    since: (UInt64, UInt32) -> UInt64
  ) -> [ProgramMark] {
    session.told.filter { $0.process.pid == pid }.flatMap { trace in
      trace.marks.compactMap { mark -> ProgramMark? in
        let base = trace.clockBase.monotonic
        guard base + mark.time <= events.end.time else { return nil }
        var mark = mark
        let start = since(base + mark.time, mark.thread)
        if case .span(let duration?) = mark.kind {
          let end = since(base + mark.time + duration, mark.thread)
          mark.kind = .span(duration: max(start, end) - start)
        }
        mark.time = start
        return mark
      }
    }.sorted { $0.time < $1.time }
  }

  private static func profile(
    _ processes: [RecordedProcess], _ builds: [Build], session: LaunchSession,
    events: LaunchEvents, ending: RunEnding
  ) -> Profile {
    var recorded = builds.map { RecordedBuild(build: $0, runs: 1) }
    for process in processes {
      for call in process.calls {
        let seen = process.startedAt + Double(call.time) / 1e9
        let known = recorded[Int(call.build)].coverage[Int(call.guardIndex)]
        recorded[Int(call.build)].coverage[Int(call.guardIndex)] = GuardCoverage(
          runs: 1, firstSeen: known.runs > 0 ? min(known.firstSeen, seen) : seen,
          lastSeen: max(known.lastSeen, seen))
      }
    }
    let startedAt = processes.map(\.startedAt).min() ?? 0
    let run = Run(
      id: processes[0].run, command: session.command, host: HostInfo.describe(),
      startedAt: startedAt, endedAt: startedAt + Double(events.since(events.end.time)) / 1e9,
      ending: ending, problems: session.images.problems)
    return Profile(builds: recorded, runs: [run], processes: processes)
  }
}
