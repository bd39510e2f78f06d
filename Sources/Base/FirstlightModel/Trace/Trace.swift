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

/// How a recorder watched a process from outside.
package struct ProcessWatch: Hashable, Sendable {
  package var engine: Attachment
  /// The watcher; without namespace and key.
  package var recorder: ProcessID
  /// Whether the process had begun before: its calls until then are unknown.
  package var isLate: Bool
  /// CLOCK_MONOTONIC, nanoseconds: all first calls before are recorded; nil if unknown.
  package var until: UInt64?
  /// CLOCK_MONOTONIC of its end, nanoseconds; nil while it goes on, or if the watcher was killed.
  package var ended: UInt64?

  package init(
    engine: Attachment, recorder: ProcessID, isLate: Bool, until: UInt64?,
    ended: UInt64?
  ) {
    self.engine = engine
    self.recorder = recorder
    self.isLate = isLate
    self.until = until
    self.ended = ended
  }

  /// Whether these are no calls of a process, but the mark of a watch that has not ended in order: processes that started
  /// last may be missing.
  package func isMark(of process: ProcessID) -> Bool {
    Self.isMark(watcher: recorder, of: process)
  }

  package static func isMark(watcher: ProcessID, of process: ProcessID) -> Bool {
    watcher.pid == process.pid && watcher.start == process.start
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

/// Known losses of a trace.
package struct Losses: Hashable, Sendable, Encodable {
  /// First calls the runtime counted but could not record.
  package var drops: Int
  /// Reserved slots that were never filled: the process died within the hook.
  package var uncommitted: Int
  /// Images that could not be recorded at all (no space, or no file descriptor).
  package var lostImages: Int
  /// Segment files of this process that could not be read.
  package var unreadableSegments: Int
  /// Forked processes that ran unrecorded because their memory was inaccessible.
  package var unrecordedProcesses: Int
  /// Number of processes, this one and its forks, that were still running when the recording ended.
  package var runningProcesses: Int

  package init(
    drops: Int = 0, uncommitted: Int = 0, lostImages: Int = 0, unreadableSegments: Int = 0,
    unrecordedProcesses: Int = 0, runningProcesses: Int = 0
  ) {
    self.drops = drops
    self.uncommitted = uncommitted
    self.lostImages = lostImages
    self.unreadableSegments = unreadableSegments
    self.unrecordedProcesses = unrecordedProcesses
    self.runningProcesses = runningProcesses
  }

  package var isEmpty: Bool { self == Losses() }

  package static func + (a: Losses, b: Losses) -> Losses {
    Losses(
      drops: a.drops.addingClamped(b.drops),
      uncommitted: a.uncommitted.addingClamped(b.uncommitted),
      lostImages: a.lostImages.addingClamped(b.lostImages),
      unreadableSegments: a.unreadableSegments.addingClamped(b.unreadableSegments),
      unrecordedProcesses: a.unrecordedProcesses.addingClamped(b.unrecordedProcesses),
      runningProcesses: a.runningProcesses.addingClamped(b.runningProcesses))
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

/// The first call of one function in one process.
package struct FirstCall: Hashable, Sendable {
  /// Index of the function's image in the trace.
  package var image: Int32
  /// The function's guard index within that image, counted from 0.
  package var guardIndex: UInt32
  /// Kernel id of the calling thread.
  package var thread: UInt32
  /// The call's position among the process's first calls, over all images, counted from 0.
  package var sequence: UInt32
  /// CLOCK_MONOTONIC, nanoseconds.
  package var time: UInt64
  /// Link-time address just after the hook call. It lies in the function's body; for a merged
  /// function, in the shared body and not in the function itself.
  package var caller: UInt64

  package init(
    image: Int32, guardIndex: UInt32, thread: UInt32, sequence: UInt32, time: UInt64, caller: UInt64
  ) {
    self.image = image
    self.guardIndex = guardIndex
    self.thread = thread
    self.sequence = sequence
    self.time = time
    self.caller = caller
  }
}
