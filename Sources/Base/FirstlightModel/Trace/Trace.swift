/// Names one recorded process for good: no two processes of one host share it.
package struct ProcessID: Hashable, Sendable, CustomStringConvertible {
  package var pid: UInt32
  /// Inode of the pid namespace; 0 if unknown.
  package var namespace: UInt32
  /// Start time, clock ticks since boot; 0 if unknown.
  package var start: UInt64
  /// Differs for each exec.
  package var key: UInt64

  package init(pid: UInt32, namespace: UInt32, start: UInt64, key: UInt64) {
    self.pid = pid
    self.namespace = namespace
    self.start = start
    self.key = key
  }

  /// The stem of this process's file names: `<pid>-<start>-<key>`.
  package var description: String {
    // A spool has thousands of such names: written back to front into the 48 bytes they take at most.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { text in
      var place = 48
      func put(_ value: UInt64, base: UInt64, digits: Int) {
        var (rest, written) = (value, 0)
        while rest > 0 || written < digits {
          let digit = UInt8(rest % base)
          place -= 1
          text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
          rest /= base
          written += 1
        }
      }
      func dash() {
        place -= 1
        text[place] = UInt8(ascii: "-")
      }
      put(key, base: 16, digits: 16)
      dash()
      put(start, base: 10, digits: 1)
      dash()
      put(UInt64(pid), base: 10, digits: 1)
      return String(decoding: UnsafeBufferPointer(rebasing: text[place...]), as: UTF8.self)
    }
  }
}

/// One process's first calls, over all its images, in order.
package struct Trace: Sendable {
  package var process: ProcessID
  package var parentPID: UInt32
  /// The recording process this one was forked from, and that one's count of first calls then;
  /// nil if it was started by exec. A forked process does not repeat its parent's first calls.
  package var forkedFrom: (process: ProcessID, sequence: UInt32)?
  /// The executable.
  package var path: String
  package var arguments: [String]
  /// CLOCK_MONOTONIC and CLOCK_REALTIME of one moment near the process's start, nanoseconds.
  package var clockBase: (monotonic: UInt64, realtime: UInt64)
  /// CLOCK_MONOTONIC when the program reported readiness, nanoseconds.
  package var ready: UInt64?
  package var images: [Image]
  /// Sorted by `sequence`.
  package var firstCalls: [FirstCall]
  package var losses: Losses
  /// For each first call how it went; empty if the recorder did not wait for returns.
  package var returns: [CallOutcome] = []
  /// By time.
  package var marks: [ProgramMark] = []
  /// The process's start-up, where the recorder watched it.
  package var launch: LaunchRecord?

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

/// What is known to be missing from a trace.
package struct Losses: Hashable, Sendable, Encodable {
  /// First calls the runtime counted but could not record.
  package var drops: Int
  /// Slots handed out and never filled: the process died within the hook.
  package var uncommitted: Int
  /// Images that could not be recorded at all (no space, no file handle).
  package var lostImages: Int
  /// Segment files of this process that could not be read.
  package var unreadableSegments: Int
  /// Processes forked from it that ran unrecorded, since their memory could not be accessed.
  package var unrecordedProcesses: Int
  /// How many of it and its forks were still running when the recording ended.
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
      drops: a.drops + b.drops, uncommitted: a.uncommitted + b.uncommitted,
      lostImages: a.lostImages + b.lostImages,
      unreadableSegments: a.unreadableSegments + b.unreadableSegments,
      unrecordedProcesses: a.unrecordedProcesses + b.unrecordedProcesses,
      runningProcesses: a.runningProcesses + b.runningProcesses)
  }
}

/// What made a build's traces.
package enum Recorder: String, Hashable, Sendable, CaseIterable {
  /// Hooks that were compiled in: a function is its guard index.
  case guards
  /// One-shot breakpoints on a build as it is: a function is the place of its address among all
  /// addresses where function symbols start, counted from 0. It is called guard index all the same.
  case breakpoints
}

/// An event that a program recorded about itself: a mark, or a span with an end.
package struct ProgramMark: Hashable, Sendable, Codable {
  /// What the program calls it.
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
  /// Which of the trace's images the function is in.
  package var image: Int32
  /// The function's guard index within that image, counted from 0.
  package var guardIndex: UInt32
  /// Kernel id of the calling thread.
  package var thread: UInt32
  /// Place in the process's order of first calls, over all images, counted from 0.
  package var sequence: UInt32
  /// CLOCK_MONOTONIC, nanoseconds.
  package var time: UInt64
  /// Link-time address just after the hook call: inside the function's body, which for a merged
  /// function is the shared body and not the function's own entry.
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
