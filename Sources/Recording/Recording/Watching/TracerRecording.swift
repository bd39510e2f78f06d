import FirstlightModel
import FirstlightTracer
import Glibc
import SystemSupport

/// Writes down what a tracer sees while the programs run, one `ProcessWriter` for each process.
final class TracerRecording {
  /// Must be set before the programs start.
  var folder: WatchFolder?
  private var living: [UInt32: ProcessWriter] = [:]
  /// Carries losses that belong to no process.
  private var first: ProcessWriter?
  /// By index of the record; a process that could not be written has none.
  private var known: [UInt32: (id: ProcessID, isLate: Bool)] = [:]
  /// Losses before the first process.
  private var earlyLosses = 0
  /// Processes without files, and the reasons.
  private(set) var missing = (processes: 0, problems: [String]())

  /// Whether records that begin now are of running processes.
  var isAttaching = false
  /// Whether the functions of an image are watched part by part.
  var isGradual = false
  /// Whether the programs are the recorder's own, so that they are a loss if they run on.
  var ownsPrograms = true

  func began(_ record: UInt32, _ process: fl_tracer_process) {
    guard let folder else { return }
    let parent = process.forked_from < 0 ? nil : known[UInt32(process.forked_from)]
    // Of copies of an image, the tracer counts each one's calls.
    let written = process.forked_from < 0 ? nil : living[UInt32(process.forked_from)]?.sequence
    let isLate = isAttaching || parent?.isLate == true
    let command = UnsafeRawBufferPointer(start: process.command, count: Int(process.command_size))
    do throws(Failure) {
      let writer = try ProcessWriter(
        ProcessWriter.Origin(
          pid: process.pid, parent: process.parent_pid, start: process.start,
          clock: (process.monotonic, process.realtime),
          forkedFrom: parent.map { ($0.id, min(process.forked_at, written ?? .max)) },
          isLate: isLate, engine: .ptrace,
          path: RunningProgram.path(bytes: process.path), command: Array(command)), in: folder)
      living[record] = writer
      known[record] = (writer.id, isLate)
      guard first == nil else { return }
      first = writer
      for _ in 0..<earlyLosses { writer.addLostImage() }
    } catch {
      missing.processes += 1
      if missing.problems.isEmpty { missing.problems.append("\(error)") }
    }
  }

  func mapped(_ record: UInt32, _ image: fl_tracer_image, _ file: WatchedImage) {
    living[record]?.add(
      file, Int(image.image), loadBias: image.load_bias,
      since: isAttaching || isGradual ? .max : 0)
  }

  func called(_ record: UInt32, _ call: fl_tracer_call) {
    living[record]?.add(
      image: Int(call.image), function: call.function, thread: call.thread, time: call.time)
  }

  func unwatched(_ record: UInt32, image: UInt32, function: UInt32) {
    living[record]?.addGap(image: Int(image), function..<function + 1)
  }

  func ended(_ record: UInt32, _ process: fl_tracer_process) {
    living.removeValue(forKey: record)?.end(
      at: Self.now, running: ownsPrograms ? process.running : 0, unrecorded: process.unrecorded)
  }

  /// Counts a binary, or a part of one, that is not recorded.
  func addLostImage() {
    if let first { first.addLostImage() } else { earlyLosses += 1 }
  }

  /// All functions of the living processes are watched from now on.
  func areWatched() {
    for writer in living.values {
      for image in writer.numbers { writer.set(since: Self.now, image: image) }
    }
  }

  /// The functions from `place` on were not watched in any process.
  func addGaps(of images: [Int: WatchedImage], from place: Int) {
    for writer in living.values {
      for image in writer.numbers {
        let count = images[image]?.addresses.count ?? 0
        if count > place { writer.addGap(image: image, UInt32(place)..<UInt32(count)) }
      }
    }
  }

  /// Leaves the recordings of the living processes as if the tracer were killed: they are incomplete.
  func abandon() { (living, first) = ([:], nil) }

  /// Ends the recording.
  ///
  /// - Parameter processes: by record, also those that have ended: a fork that outlives its parent
  ///   counts there if it has no files.
  func finish(_ processes: [fl_tracer_process]) {
    for writer in living.values { writer.end(at: Self.now) }
    living = [:]
    guard let folder else { return }
    for (record, process) in processes.enumerated() {
      let running = ownsPrograms ? process.running : 0
      guard running > 0 || process.unrecorded > 0, let known = known[UInt32(record)] else {
        continue
      }
      ProcessWriter.set(
        running: running, unrecorded: process.unrecorded, of: known.id, in: folder)
    }
  }

  private static var now: UInt64 { UInt64(Clock.monotonic() * 1e9) }
}
