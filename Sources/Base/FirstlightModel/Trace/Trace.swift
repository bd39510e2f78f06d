/// One process's first calls, over all its images, in order.
package struct Trace: Sendable {
  package var process: ProcessID
  package var parentPID: UInt32
  /// The recorded process that forked this one, and its count of first calls at that time; nil if
  /// the process was started by exec. A forked process does not repeat its parent's first calls.
  package var forkedFrom: (process: ProcessID, sequence: UInt32)?
  /// The executable.
  package var path: String
  package var arguments: [String]
  /// CLOCK_MONOTONIC and CLOCK_REALTIME of the same instant near the process's start, nanoseconds.
  package var clockBase: (monotonic: UInt64, realtime: UInt64)
  /// CLOCK_MONOTONIC when the program reported readiness, nanoseconds.
  package var ready: UInt64?
  package var images: [Image]
  /// Sorted by `sequence`.
  package var firstCalls: [FirstCall]
  package var losses: Losses
  /// The outcome of each first call; empty if the recorder did not wait for returns.
  package var returns: [CallOutcome] = []
  /// By time.
  package var marks: [ProgramMark] = []
  /// The process's start-up, if the recorder watched it.
  package var launch: LaunchRecord?
  /// How another process watched it; nil if it recorded itself.
  package var watch: ProcessWatch?

  /// Seconds since 1970. A profile refuses later moments, which no clock has shown yet.
  package var startedAt: Double { seconds(at: clockBase.monotonic) }

  /// Seconds since 1970 of a moment of CLOCK_MONOTONIC in nanoseconds.
  package func seconds(at monotonic: UInt64) -> Double {
    let later = Double(monotonic) - Double(clockBase.monotonic)
    return min(max(0, (Double(clockBase.realtime) + later) / 1e9), ProfileLimits.moments.upperBound)
  }

  package init(
    process: ProcessID, parentPID: UInt32, forkedFrom: (process: ProcessID, sequence: UInt32)?,
    path: String, arguments: [String], clockBase: (monotonic: UInt64, realtime: UInt64),
    ready: UInt64?, images: [Image], firstCalls: [FirstCall], losses: Losses
  ) {
    self.process = process
    self.parentPID = parentPID
    self.forkedFrom = forkedFrom
    self.path = path
    self.arguments = arguments
    self.clockBase = clockBase
    self.ready = ready
    self.images = images
    self.firstCalls = firstCalls
    self.losses = losses
  }
}

extension Trace {
  /// Whether the watch of an image began after the process, or after the image was loaded.
  package func wasWatchedLate(_ image: Image) -> Bool {
    guard let seen = image.watch else { return false }
    // Without its file, nothing is known of the process.
    return watch?.isLate ?? true || seen.since > clockBase.monotonic
  }

  /// Whether it shows what processes of the program do when they start: then this start stands for those that were not
  /// seen. A forked process lacks what its parent called before.
  package func showsStart(of image: Image) -> Bool {
    !wasWatchedLate(image) && forkedFrom == nil && image.watch?.standsAlone != true
  }
}

/// The recorder of a build's traces.
package enum Recorder: String, Hashable, Sendable, CaseIterable {
  /// Compiled-in hooks: a function's index is its guard index.
  case guards
  /// One-shot breakpoints on an unmodified build: a function's index is the rank of its address
  /// among all function symbol addresses, from 0. The code calls this index a guard index too.
  case breakpoints
  /// Hooks that the compiler sets before it inlines functions: a function's index is the place of its
  /// address in `.eh_frame_hdr`. The code calls this index a guard index too.
  case entryHooks = "entry-hooks"
  /// The compiler's counters of the functions of the source, set before inlining, beside guards: a function's index
  /// is that of its record in `__llvm_prf_data`. Counters alone know no order.
  case counters
}

/// An event that a program recorded about itself: a mark, or a span with an end.
package struct ProgramMark: Hashable, Sendable, Codable {
  /// The program's name for the event.
  package var name: String
  /// Kernel id of the thread that set the mark or began the span.
  package var thread: UInt32
  /// Nanoseconds since the process's `startedAt` (of a trace: since its `clockBase`).
  package var time: UInt64
  package var kind: Kind

  package enum Kind: Hashable, Sendable, Codable {
    case mark
    /// - Parameter duration: nanoseconds; nil if the span's end was not seen.
    case span(duration: UInt64?)
  }

  package init(name: String, thread: UInt32, time: UInt64, kind: Kind) {
    self.name = name
    self.thread = thread
    self.time = time
    self.kind = kind
  }
}
