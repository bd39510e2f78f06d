import FirstlightLauncher
import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import Recording
import SystemSupport

/// The tracer of one start: what it asks while the program runs, and what it has recorded.
///
/// The kernel ties a tracer to its thread, and the tracer consumes all results of `waitpid`.
final class LaunchTracer {
  let images: LaunchImages
  /// The questions of look-ups, if those are watched.
  let lookups = LookupObserver()
  /// When the program listened on the port that the start waits for.
  private(set) var listening: LaunchOutcome.Moment?
  private(set) var pid: pid_t = 0
  private let port: ListeningPort?
  // Owned; freed in deinit. The tracer calls this object, which outlives it.
  private var tracer: OpaquePointer!

  /// - Parameter port: the port that the start waits for.
  init(_ images: LaunchImages, port: ListeningPort?) {
    (self.images, self.port) = (images, port)
    var host = fl_tracer_host(
      context: Unmanaged.passUnretained(self).toOpaque(),
      choose: { LaunchTracer.of($0).choose($1.pointee, $2) },
      loader_breakpoint: images.isEmpty
        ? nil : { LaunchTracer.of($0).images.loaderPlace(String(cString: $1), $2) },
      problem: { LaunchTracer.of($0).note($1, path: String(cString: $2), error: $3) },
      unwatched: nil, sink: nil, flags: Self.wishes(images), slice: 0,
      returned: { LaunchTracer.of($0).returned($1, $2, $3, $4) },
      entered: { LaunchTracer.of($0).entered($1.pointee) })
    tracer = fl_tracer_make(&host)
  }

  deinit { if let tracer { fl_tracer_free(tracer) } }

  private static func of(_ context: UnsafeMutableRawPointer?) -> LaunchTracer {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  private static func wishes(_ images: LaunchImages) -> UInt32 {
    let returns = FL_TRACER_RETURNS.rawValue
    switch images.detail {
    case .plain: return returns
    case .stages(_, let isLetGo):
      let pinned = returns | FL_TRACER_PINNED.rawValue
      return isLetGo ? pinned | FL_TRACER_UP_TO_MAIN.rawValue : pinned
    case .details: return returns | FL_TRACER_PINNED.rawValue | FL_TRACER_LOADING.rawValue
    case .lookups: return returns | FL_TRACER_PINNED.rawValue | FL_TRACER_EVERY_CALL.rawValue
    }
  }

  // MARK: What it does

  func start(
    _ command: [String], _ environment: ProgramEnvironment, _ streams: LaunchStreams
  ) throws(Failure) {
    var none = sigset_t()
    sigemptyset(&none)
    pid = try TracerStart.start(
      tracer, command, environment, mask: none, streams: streams.descriptors)
  }

  /// Handles what has happened to the processes.
  ///
  /// - Returns: the program's wait status, if it has ended.
  func step() -> WaitStatus? {
    var status: Int32 = 0
    return fl_tracer_step(tracer, &status) ? WaitStatus(status) : nil
  }

  /// The number of processes that it traces.
  var living: Int { Int(fl_tracer_living(tracer)) }

  func signal(_ signal: Int32) { fl_tracer_signal(tracer, signal) }

  func detach() { fl_tracer_detach(tracer) }

  // MARK: What it recorded

  /// One record for each process; valid as long as this object.
  var processes: [fl_tracer_process] {
    (0..<fl_tracer_process_count(tracer)).map { fl_tracer_process_at(tracer, $0) }
  }

  var mainThread: UInt32 { UInt32(pid) }

  /// When the last thread of the command's process ended.
  var lastMoment: fl_tracer_moment? {
    let process = processes.last { $0.pid == mainThread && $0.forked_from < 0 }
    return process.flatMap { process in
      UnsafeBufferPointer(start: process.moments, count: Int(process.moment_count))
        .last { $0.kind == FL_TRACER_EXIT.rawValue }
    }
  }

  // MARK: What it asks

  private func choose(
    _ file: fl_tracer_file, _ sites: UnsafeMutablePointer<fl_tracer_sites>
  ) -> Bool {
    lookups.mappingsChanged()
    return images.choose(file, sites)
  }

  /// Whether to keep watching a function that is about to return.
  private func returned(
    _ process: pid_t, _ image: UInt32, _ function: UInt32, _ time: UInt64
  ) -> Bool {
    guard let port, listening == nil, image < images.entries.count else { return false }
    let entry = images.entries[Int(image)]
    guard case .listen = entry.place(entry.addresses[Int(function)]) else { return false }
    guard port.isOpen(process: process) else { return true }
    listening = LaunchOutcome.Moment(time: time, process: process, isTold: true)
    return false
  }

  private func entered(_ entry: fl_tracer_entry) {
    guard entry.process == pid, entry.image < images.entries.count else { return }
    let image = images.entries[Int(entry.image)]
    switch image.place(image.addresses[Int(entry.function)]) {
    case .lookup: lookups.note(entry)
    case .unusedIndex: images.unusedIndex = UnusedConformanceIndex(rawValue: entry.arguments.0)
    default: break
    }
  }

  private func note(_ problem: fl_tracer_problem, path: String, error: Int32) {
    let reason = error == 0 ? "" : ": \(ErrorText.of(error))"
    switch problem {
    case FL_TRACER_FILE_CHANGED: images.note("\(path): was replaced; it is not traced")
    case FL_TRACER_FILE_SHARED:
      images.note("\(path): is mapped shared (MAP_SHARED); it is not traced")
    case FL_TRACER_NO_LOADER:
      images.note("\(path): has no _dl_debug_state: libraries are not traced")
    case FL_TRACER_CHILD_UNRECORDED: images.note("\(path): a forked process ran untraced\(reason)")
    case FL_TRACER_CHILD_KILLED:
      images.note(
        "\(path): a forked process was killed, as its breakpoints could not be removed\(reason)")
    case FL_TRACER_CODE_COPIED:
      images.note(
        "\(path): met a breakpoint in a copy of its code; such a program cannot be traced")
    default: images.note("\(path): cannot be traced completely\(reason)")
    }
  }
}
