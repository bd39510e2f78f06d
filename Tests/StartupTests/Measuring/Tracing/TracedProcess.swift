import FirstlightTracer
import TestSupport

/// What a tracer would have recorded of a process.
struct TracedProcess {
  var pid: UInt32 = 100
  /// The host's numbers of its images.
  var images: [UInt32] = []
  var calls: [fl_tracer_call] = []
  /// One for each call.
  var returns: [fl_tracer_return] = []
  var stops: [fl_tracer_stop] = []

  /// A small program; see Tests/Fixtures/make-elf-seeds.
  static func fixture(_ name: String) -> String {
    Toolchain.project.appending(path: "Tests/Fixtures/elf/\(name)").path
  }

  /// Adds a call and how it ended.
  mutating func call(
    _ function: UInt32, of image: UInt32 = 0, thread: UInt32 = 100, from start: UInt64,
    to end: UInt64 = 0, in parent: Int32 = -1, ending: fl_tracer_ending = FL_TRACER_RETURNED,
    isTailCall: Bool = false, faults: (before: fl_tracer_faults, after: fl_tracer_faults)? = nil
  ) {
    calls.append(fl_tracer_call(image: image, function: function, thread: thread, time: start))
    returns.append(
      fl_tracer_return(
        parent: parent, ending: UInt8(ending.rawValue), is_tail_call: isTailCall, argument: 0,
        result: 0, time: end, before: faults?.before ?? fl_tracer_faults(),
        after: faults?.after ?? fl_tracer_faults()))
  }

  /// Adds a stop.
  mutating func stop(_ thread: UInt32, seen: UInt64, resumed: UInt64, created: UInt32 = 0) {
    stops.append(fl_tracer_stop(thread: thread, created: created, seen: seen, resumed: resumed))
  }

  /// Calls `body` with the record, which is valid only meanwhile.
  func with<Result>(_ body: (fl_tracer_process) throws -> Result) rethrows -> Result {
    let images = images.map { fl_tracer_image(image: $0, load_bias: 0) }
    return try images.withUnsafeBufferPointer { images in
      try calls.withUnsafeBufferPointer { calls in
        try returns.withUnsafeBufferPointer { returns in
          try stops.withUnsafeBufferPointer { stops in
            try "/usr/bin/example".withCString { path in
              try body(
                fl_tracer_process(
                  pid: pid, parent_pid: 1, forked_from: -1, forked_at: 0, start: 1, monotonic: 0,
                  realtime: 0, drops: 0, unrecorded: 0, running: 0, path: path, command: path,
                  command_size: 0,
                  image_count: UInt32(images.count), call_count: UInt32(calls.count),
                  images: images.baseAddress, calls: calls.baseAddress, requested: 0,
                  requested_ran: 0, returns: returns.baseAddress, stops: stops.baseAddress,
                  stop_count: UInt32(stops.count), moment_count: 0, moments: nil, texts: nil))
            }
          }
        }
      }
    }
  }
}
