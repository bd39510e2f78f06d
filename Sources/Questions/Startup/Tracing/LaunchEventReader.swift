import FirstlightModel
import FirstlightTracer
import Glibc
import SystemSupport

/// Converts a tracer's records to the input of a start-up report.
struct LaunchEventReader {
  let session: LaunchSession

  /// The records of the command's process, in order: one for each program that it executed.
  private var records: [fl_tracer_process] {
    session.tracer.processes.filter { $0.pid == session.tracer.mainThread && $0.forked_from < 0 }
  }

  /// Programs that the command's process executed, in order.
  var programs: [String] { records.map { String(cString: $0.path) } }

  /// The events of the last program that the command's process executed, from the first program's request on.
  ///
  /// - Returns: nil if the process executed no program.
  func events(_ outcome: LaunchOutcome) -> LaunchEvents? {
    guard let first = records.first, let process = records.last else { return nil }
    let moments = Self.moments(of: process)
    guard let executed = Self.executed(moments) else { return nil }
    let path = String(cString: process.path)
    let program = programEntry(of: process)
    let bias = program?.image.load_bias ?? 0
    let range = program?.entry.loadedRange ?? 0..<0
    let end: LaunchEvents.Moment
    if let reached = outcome.reached ?? outcome.givenUp {
      end = LaunchEvents.Moment(time: reached.time, faults: reached.faults)
    } else if let last = moments.last(where: { $0.kind == FL_TRACER_EXIT.rawValue }) {
      end = LaunchEvents.Moment(
        time: lastStop(of: process) + removal(outcome, of: process),
        faults: Self.moment(last).faults)
    } else if outcome.endedAt > 0 {
      // The program ran on untraced from `main`.
      end = LaunchEvents.Moment(time: outcome.endedAt, faults: outcome.faults)
    } else {
      end = Self.moment(executed)
    }
    // Includes the stops of earlier programs of the process, and those of children, for which it may have
    // waited.
    let clock = LaunchClock(
      stops: session.tracer.processes.flatMap(Self.stops).sorted { $0.seen < $1.seen },
      mainThread: session.tracer.mainThread, requested: first.requested)
    return LaunchEvents(
      clock: clock, mainThread: session.tracer.mainThread, requested: first.requested,
      executed: Self.moment(executed),
      executedEarlier: records.count > 1
        ? Self.executed(Self.moments(of: first)).map(Self.moment) : nil,
      program: path,
      programRange: (range.lowerBound &+ bias)..<(range.upperBound &+ bias),
      hasLoader: program?.entry.hasInterpreter ?? true, loader: "the loader itself",
      librariesTold: moments.filter { $0.kind == FL_TRACER_LIBRARIES.rawValue }.map(Self.moment),
      systemCalls: systemCalls(of: process, moments), visits: visits(of: process),
      end: end,
      cpuTime: outcome.reached.flatMap {
        $0.ran > first.requested_ran ? $0.ran - first.requested_ran : nil
      })
  }

  private static func moments(
    of process: fl_tracer_process
  ) -> UnsafeBufferPointer<fl_tracer_moment> {
    UnsafeBufferPointer(start: process.moments, count: Int(process.moment_count))
  }

  private static func executed(
    _ moments: UnsafeBufferPointer<fl_tracer_moment>
  ) -> fl_tracer_moment? {
    moments.first { $0.kind == FL_TRACER_EXECUTED.rawValue }
  }

  /// Nanoseconds that the kernel needs to remove an ended process, after its last thread was resumed.
  private func removal(_ outcome: LaunchOutcome, of process: fl_tracer_process) -> UInt64 {
    let stops = UnsafeBufferPointer(start: process.stops, count: Int(process.stop_count))
    let last = stops.map(\.resumed).max() ?? outcome.endedAt
    return outcome.endedAt - min(outcome.endedAt, last)
  }

  /// When the main thread was last resumed.
  private func lastStop(of process: fl_tracer_process) -> UInt64 {
    UnsafeBufferPointer(start: process.stops, count: Int(process.stop_count))
      .last { $0.thread == session.tracer.mainThread }?.resumed ?? 0
  }

  func programEntry(
    of process: fl_tracer_process
  ) -> (entry: LaunchImages.Entry, image: fl_tracer_image)? {
    for image in UnsafeBufferPointer(start: process.images, count: Int(process.image_count))
    where image.image < session.images.entries.count {
      let entry = session.images.entries[Int(image.image)]
      if entry.isProgram { return (entry, image) }
    }
    return nil
  }

  static func stops(_ process: fl_tracer_process) -> [LaunchClock.Stop] {
    UnsafeBufferPointer(start: process.stops, count: Int(process.stop_count)).map {
      LaunchClock.Stop(
        thread: $0.thread, created: $0.created, seen: $0.seen, resumed: $0.resumed)
    }
  }

  private static func moment(_ moment: fl_tracer_moment) -> LaunchEvents.Moment {
    LaunchEvents.Moment(time: moment.time, faults: faults(moment.faults))
  }

  static func faults(_ faults: fl_tracer_faults) -> LaunchEvents.Faults {
    LaunchEvents.Faults(minor: UInt64(faults.minor), major: UInt64(faults.major))
  }

  private func systemCalls(
    of process: fl_tracer_process, _ moments: UnsafeBufferPointer<fl_tracer_moment>
  ) -> [LaunchEvents.SystemCall] {
    moments.filter { $0.kind == FL_TRACER_SYSTEM_CALL.rawValue }.map { call in
      let kind: LaunchEvents.SystemCall.Kind
      switch fl_tracer_system_call(call.system_call) {
      case FL_TRACER_OPEN: kind = .open
      case FL_TRACER_MAP: kind = .map
      case FL_TRACER_PROTECT: kind = .protect
      case FL_TRACER_CLOSE: kind = .close
      default: kind = .other
      }
      var path = ""
      if call.text > 0, let texts = process.texts {
        let opened = String(cString: texts + Int(call.text - 1))
        path = AbsolutePath.resolved(opened) ?? opened
      }
      let arguments = call.arguments
      return LaunchEvents.SystemCall(
        kind: kind, began: call.began, end: Self.moment(call),
        arguments: [arguments.0, arguments.1, arguments.2, arguments.3, arguments.4],
        result: call.result, path: path)
    }
  }

  private func visits(of process: fl_tracer_process) -> [LaunchEvents.Visit] {
    let calls = UnsafeBufferPointer(start: process.calls, count: Int(process.call_count))
    let returns = UnsafeBufferPointer(
      start: process.returns, count: process.returns == nil ? 0 : calls.count)
    let main = mainAddress(calls, returns)
    let biases = Dictionary(
      UnsafeBufferPointer(start: process.images, count: Int(process.image_count)).map {
        ($0.image, $0.load_bias)
      }, uniquingKeysWith: { first, _ in first })
    return returns.indices.compactMap { index -> LaunchEvents.Visit? in
      let call = calls[index]
      let end = returns[index]
      let landmark: LaunchEvents.Landmark
      var path = String(cString: process.path)
      var address: UInt64 = 0
      if call.image == LaunchImages.foundMain {
        landmark = .main
      } else {
        let entry = session.images.entries[Int(call.image)]
        address = entry.addresses[Int(call.function)]
        if case .landmark(let known) = entry.place(address) {
          landmark = known
        } else if let main, let bias = biases[call.image], address &+ bias == main {
          landmark = .main
        } else {
          return nil
        }
        path = entry.path
      }
      return LaunchEvents.Visit(
        landmark: landmark, image: path, address: address, thread: call.thread,
        entry: LaunchEvents.Moment(time: call.time, faults: Self.faults(end.before)),
        exit: end.time == 0
          ? nil : LaunchEvents.Moment(time: end.time, faults: Self.faults(end.after)))
    }
  }

  /// The address of `main`, from the argument of the C library's start function. A `main` without a symbol can
  /// then be watched like other functions.
  private func mainAddress(
    _ calls: UnsafeBufferPointer<fl_tracer_call>, _ returns: UnsafeBufferPointer<fl_tracer_return>
  ) -> UInt64? {
    for (call, told) in zip(calls, returns) where call.image < session.images.entries.count {
      let entry = session.images.entries[Int(call.image)]
      if case .libraryStart = entry.place(entry.addresses[Int(call.function)]) {
        return told.argument
      }
    }
    return nil
  }
}
