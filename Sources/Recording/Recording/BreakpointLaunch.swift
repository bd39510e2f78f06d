import DebugInfo
import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// Starts an unmodified program and records it through one-shot breakpoints.
package final class BreakpointLaunch: ProgramLaunch {
  package private(set) var images: BreakpointImages
  private let recording = TracerRecording()
  /// The functions whose breakpoints went while they were not called, by image.
  private var unwatched: [Int: Set<UInt32>] = [:]
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
      unwatched: { BreakpointLaunch.of($0).unwatched($1, image: $2, function: $3) },
      sink: Self.sink, flags: 0, slice: slice, returned: nil, entered: nil)
    recording.isGradual = slice > 0
    tracer = fl_tracer_make(&host)
  }

  deinit { if let tracer { fl_tracer_free(tracer) } }

  /// Lives as long as the process, as the tracer requires.
  nonisolated(unsafe) private static let sink: UnsafePointer<fl_tracer_sink> = {
    let sink = UnsafeMutablePointer<fl_tracer_sink>.allocate(capacity: 1)
    sink.initialize(
      to: fl_tracer_sink(
        began: { BreakpointLaunch.of($0).recording.began($1, $2.pointee) },
        mapped: { BreakpointLaunch.of($0).mapped($1, $2.pointee) },
        called: { BreakpointLaunch.of($0).recording.called($1, $2.pointee) },
        ended: { BreakpointLaunch.of($0).ended($1) }))
    return UnsafePointer(sink)
  }()

  /// Sets the directory of the recording. Must come before the programs.
  ///
  /// - Throws: `.cannotCreate`.
  package func record(into folder: String) throws(Failure) { record(into: try WatchFolder(folder)) }

  func record(into folder: WatchFolder) { recording.folder = folder }

  package var missing: (processes: Int, problems: [String]) {
    (recording.missing.processes, recording.missing.problems + images.problems)
  }

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
    (recording.isAttaching, recording.ownsPrograms) = (true, false)
    defer { recording.isAttaching = false }
    switch fl_tracer_attach(tracer!, process) {
    case FL_TRACER_STARTED: if !recording.isGradual { recording.areWatched() }
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
  var watched: [BreakpointImages.Entry] { Array(images.entries.values) }

  var cost: fl_tracer_cost { fl_tracer_cost(tracer!) }

  /// Watches the next functions of each file.
  ///
  /// - Returns: whether some are left.
  func watchNext(_ count: Int) -> Bool {
    let isPending = fl_tracer_plant_next(tracer!, UInt32(count))
    if !isPending { areWatched() }
    return isPending
  }

  private func areWatched() {
    recording.isGradual = false
    recording.areWatched()
  }

  /// Notes that the functions of each file from this one on were never watched.
  func leaveOut(from place: Int) {
    recording.addGaps(of: images.entries.mapValues(\.watched), from: place)
    areWatched()
  }

  package var reapsAll: Bool { true }

  package func end() -> Int32? {
    var status: Int32 = 0
    return fl_tracer_step(tracer!, &status) ? status : nil
  }

  package func takeStop() -> Int32? {
    let signal = fl_tracer_take_stop(tracer!)
    return signal == 0 ? nil : signal
  }

  package func finish() { finish(inOrder: true) }

  /// - Parameter inOrder: see `AttachWatch.finish(inOrder:)`.
  func finish(inOrder: Bool) {
    if !inOrder { recording.abandon() }
    fl_tracer_detach(tracer!)
    recording.finish(
      (0..<fl_tracer_process_count(tracer!)).map { fl_tracer_process_at(tracer!, $0) })
    for (image, functions) in unwatched.sorted(by: { $0.key < $1.key }) {
      images.noteUnwatched(image, functions.count)
      recording.addLostImage()
    }
    unwatched = [:]
  }

  private func mapped(_ record: UInt32, _ image: fl_tracer_image) {
    recording.mapped(record, image, images.entries[Int(image.image)]!.watched)
  }

  private func ended(_ record: UInt32) {
    recording.ended(record, fl_tracer_process_at(tracer!, record))
  }

  private func unwatched(_ record: UInt32, image: UInt32, function: UInt32) {
    recording.unwatched(record, image: image, function: function)
    unwatched[Int(image), default: []].insert(function)
  }

  private func choose(
    _ file: fl_tracer_file, _ sites: UnsafeMutablePointer<fl_tracer_sites>
  ) -> Bool {
    let before = images.unrecordedCount
    let place = images.choose(
      path: RunningProgram.path(String(cString: file.path)), link: String(cString: file.link),
      isProgram: file.is_program, isCommand: file.is_command)
    if images.unrecordedCount > before { recording.addLostImage() }
    guard let place else { return false }
    let addresses = images.entries[place]!.addresses
    sites.pointee = fl_tracer_sites(
      image: UInt32(place), count: UInt32(addresses.count), addresses: addresses.baseAddress,
      main_argument: .max, main_image: .max)
    return true
  }

  private func note(_ problem: fl_tracer_problem, path: String, error: Int32) {
    let before = images.unrecordedCount
    defer { if images.unrecordedCount > before { recording.addLostImage() } }
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
}
