import DebugInfo
import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Starts an unmodified program and records it through one-shot breakpoints.
package final class BreakpointLaunch: ProgramLaunch {
  private var images: BreakpointImages
  /// Functions whose breakpoints went while they were not called, by index of their image.
  private var lost: [Int: Set<UInt32>] = [:]
  private let watchesLibraries: Bool
  /// Standard input, output and error of the program; nil for ours.
  package let log: ProgramLog?
  // Owned; freed in `deinit`. Its host's context is this object, which outlives it.
  private var tracer: OpaquePointer?

  /// - Parameters:
  ///   - globs: the shared libraries to record.
  ///   - log: the program's output; nil for ours.
  ///   - slice: the functions of each file to watch at first; 0: all.
  package init(globs: [String], log: ProgramLog? = nil, slice: UInt32 = 0) {
    self.log = log
    images = BreakpointImages(globs: globs)
    watchesLibraries = !globs.isEmpty
    var host = fl_tracer_host(
      context: Unmanaged.passUnretained(self).toOpaque(),
      choose: { BreakpointLaunch.of($0).choose($1.pointee, $2) },
      loader_breakpoint: watchesLibraries
        ? { LoaderPlaces.find(String(cString: $1), $2) } : nil,
      problem: { BreakpointLaunch.of($0).note($1, path: String(cString: $2), error: $3) },
      unwatched: { BreakpointLaunch.of($0).lost[Int($1), default: []].insert($2) },
      flags: 0, slice: slice, returned: nil, entered: nil)
    tracer = fl_tracer_make(&host)
  }

  deinit { if let tracer { fl_tracer_free(tracer) } }

  private static func of(_ context: UnsafeMutableRawPointer?) -> BreakpointLaunch {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  package func start(
    _ command: [String], environment: ProgramEnvironment, mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t {
    try images.prepare(command: command[0])
    let null = log == nil ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    return try TracerStart.start(
      tracer, command, environment, mask: mask,
      streams: streams ?? log.map { [null, $0.descriptor, $0.descriptor] })
  }

  /// Attaches to a running process.
  ///
  /// - Throws: `.noInput` if it has ended; `.unavailable` if it may not be traced.
  func attach(to process: pid_t) throws(Failure) {
    // Files are read before the process has to wait for that.
    if let path = RunningProgram.path(of: process) {
      _ = images.choose(
        path: path, link: RunningProgram.link(of: process, path), isProgram: true, isCommand: true)
    }
    if watchesLibraries {
      for path in ProcessMapping.files(of: "\(process)") {
        _ = images.choose(path: path, isProgram: false, isCommand: false)
      }
    }
    switch fl_tracer_attach(tracer!, process) {
    case FL_TRACER_STARTED: return
    case FL_TRACER_NOT_FOUND: throw Failure(.noInput, "process \(process) has ended")
    case FL_TRACER_SHARED:
      throw Failure(
        .unavailable,
        "process \(process) cannot be traced: process \(errno) uses its memory (vfork), and breakpoints "
          + "would kill that one",
        advice: "try again when it has ended or has executed a program")
    default:
      throw TracingRefusal.failure(
        "process \(process) cannot be traced", error: errno, isRunning: true)
    }
  }

  /// Whether any of the processes still runs.
  var isLiving: Bool { fl_tracer_living(tracer!) > 0 }

  /// The watched files and their functions.
  var watched: [BreakpointImages.Entry] { images.entries }

  var cost: fl_tracer_cost { fl_tracer_cost(tracer!) }

  /// Watches the next functions of each file.
  ///
  /// - Returns: whether some are left.
  func watchNext(_ count: Int) -> Bool { fl_tracer_plant_next(tracer!, UInt32(count)) }

  package var reapsAll: Bool { true }

  package func end() -> Int32? {
    var status: Int32 = 0
    return fl_tracer_step(tracer!, &status) ? status : nil
  }

  package func takeStop() -> Int32? {
    let signal = fl_tracer_take_stop(tracer!)
    return signal == 0 ? nil : signal
  }

  package func finish() { fl_tracer_detach(tracer!) }

  private func choose(
    _ file: fl_tracer_file, _ sites: UnsafeMutablePointer<fl_tracer_sites>
  ) -> Bool {
    let place = images.choose(
      path: RunningProgram.path(String(cString: file.path)), link: String(cString: file.link),
      isProgram: file.is_program, isCommand: file.is_command)
    guard let place else { return false }
    let addresses = images.entries[place].addresses
    sites.pointee = fl_tracer_sites(
      image: UInt32(place), count: UInt32(addresses.count), addresses: addresses.baseAddress,
      main_argument: .max, main_image: .max)
    return true
  }

  private func note(_ problem: fl_tracer_problem, path: String, error: Int32) {
    let reason = error == 0 ? "" : ": \(ErrorText.of(error))"
    switch problem {
    case FL_TRACER_FILE_CHANGED:
      images.noteUnrecorded(
        "\(path): the file was replaced after the program started, so its functions are not recorded"
      )
    case FL_TRACER_FILE_SHARED:
      images.noteUnrecorded(
        "\(path): is mapped shared (MAP_SHARED), where breakpoints would change the file, so its functions there are "
          + "not recorded")
    case FL_TRACER_NO_LOADER:
      images.note(
        "\(path): has no _dl_debug_state, so shared libraries are not recorded")
    case FL_TRACER_CODE_COPIED:
      images.noteUnrecorded(
        "\(path): met a breakpoint in memory that is no file's, probably a copy of its code. A program that copies "
          + "its code cannot be recorded without a rebuild")
    case FL_TRACER_MEMORY_SHARED:
      Terminal.report(
        "waiting for process \(error), which uses the memory of the program (vfork), to execute another or end"
      )
    case FL_TRACER_CHILD_UNRECORDED:
      images.note(
        "\(path): forked a process that ran unrecorded\(reason)"
          + (error == EMFILE ? "; raise the hard limit of open files (ulimit -Hn)" : ""))
    case FL_TRACER_CHILD_KILLED:
      images.note(
        "\(path): forked a process that was killed, as its breakpoints could not be removed\(reason)"
      )
    default:
      images.noteUnrecorded(
        "\(path): cannot write breakpoints to its memory\(reason); functions there are not recorded"
          + (error == EMFILE ? "; raise the hard limit of open files (ulimit -Hn)" : ""))
    }
  }

  /// The whole recording.
  package func recording() -> BreakpointRecording {
    let count = fl_tracer_process_count(tracer!)
    var ids: [ProcessID] = []
    var traces: [Trace] = []
    for index in 0..<count {
      let process = fl_tracer_process_at(tracer!, index)
      ids.append(
        ProcessID(
          pid: process.pid, namespace: 0, start: process.start,
          key: UInt64.random(in: 0...UInt64.max)))
      traces.append(trace(of: process, ids: ids))
    }
    traces.sort { $0.clockBase.monotonic < $1.clockBase.monotonic }
    var recording = BreakpointRecording(traces: traces, images: images)
    recording.noteLost(lost)
    return recording
  }

  private func trace(of process: fl_tracer_process, ids: [ProcessID]) -> Trace {
    var places: [UInt32: Int32] = [:]
    var list: [Image] = []
    for image in UnsafeBufferPointer(start: process.images, count: Int(process.image_count)) {
      let entry = images.entries[Int(image.image)]
      // A file that was mapped twice is one image.
      if places[image.image] != nil { continue }
      places[image.image] = Int32(list.count)
      list.append(
        Image(
          buildID: entry.image.buildID,
          path: BreakpointRecording.key(image: Int(image.image), path: entry.path),
          loadBias: image.load_bias, guardCount: entry.addresses.count, guardsStart: 0,
          drops: 0))
    }
    let calls = UnsafeBufferPointer(start: process.calls, count: Int(process.call_count))
    var seen: Set<UInt64> = []
    let firstCalls = calls.enumerated().compactMap { sequence, call -> FirstCall? in
      guard let place = places[call.image],
        seen.insert(UInt64(call.image) << 32 | UInt64(call.function)).inserted
      else { return nil }
      return FirstCall(
        image: place, guardIndex: call.function, thread: call.thread, sequence: UInt32(sequence),
        time: call.time,
        caller: images.entries[Int(call.image)].addresses[Int(call.function)])
    }
    let command = UnsafeRawBufferPointer(start: process.command, count: Int(process.command_size))
    return Trace(
      process: ids.last!, parentPID: process.parent_pid,
      forkedFrom: process.forked_from < 0
        ? nil : (ids[Int(process.forked_from)], process.forked_at),
      path: RunningProgram.path(String(cString: process.path)),
      arguments: ProcFile.arguments(command),
      clockBase: (process.monotonic, process.realtime), ready: nil, images: list,
      firstCalls: firstCalls,
      losses: Losses(
        drops: Int(process.drops), unrecordedProcesses: Int(process.unrecorded),
        runningProcesses: Int(process.running)))
  }
}
