/// One recorded run: a command and all the processes it started.
package struct Run: Hashable, Sendable {
  /// Permanent identity of the run; merging the same run twice counts it once.
  package var id: String
  package var command: [String]
  package var host: Host
  /// Seconds since 1970.
  package var startedAt: Double
  /// Seconds since 1970.
  package var endedAt: Double
  package var ending: RunEnding
  /// Missing or unreadable data, one line for each problem.
  package var problems: [String]
  /// How the recorder attached to running processes; nil if it started them. An attached run is a window: calls
  /// before it are unknown.
  package var attachment: Attachment?

  package init(
    id: String, command: [String], host: Host, startedAt: Double, endedAt: Double,
    ending: RunEnding, problems: [String], attachment: Attachment? = nil
  ) {
    self.id = id
    self.attachment = attachment
    self.command = command
    self.host = host
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.ending = ending
    self.problems = problems
  }

  /// The end of the run, for display.
  package var outcome: String { ending.outcome }
}

/// How a recorder watches processes that run already.
package enum Attachment: String, Hashable, Sendable, CaseIterable {
  /// The kernel's probes: nothing is stopped.
  case probes
  /// Breakpoints of a tracer.
  case ptrace
}

/// The machine a run was recorded on.
package struct Host: Hashable, Sendable {
  package var name: String
  /// Kernel name and release.
  package var kernel: String
  package var architecture: String
  package var processor: String
  package var cores: Int

  package init(
    name: String, kernel: String, architecture: String, processor: String, cores: Int
  ) {
    self.name = name
    self.kernel = kernel
    self.architecture = architecture
    self.processor = processor
    self.cores = cores
  }
}

/// A first call within a profile.
package struct RecordedCall: Hashable, Sendable {
  /// Index into the profile's builds.
  package var build: Int32
  package var guardIndex: UInt32
  /// Kernel thread id.
  package var thread: UInt32
  /// Nanoseconds since the process's `startedAt`; earlier calls count as 0.
  package var time: UInt64

  package init(build: Int32, guardIndex: UInt32, thread: UInt32, time: UInt64) {
    self.build = build
    self.guardIndex = guardIndex
    self.thread = thread
    self.time = time
  }
}
