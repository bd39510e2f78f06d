import FirstlightModel
import SystemSupport

/// Totals of a series apart from its functions. They add up over series.
package struct SeriesTotals: Hashable, Sendable {
  /// Runs that loaded the build for the first time on that day.
  package var runs = 0
  /// Hosts that loaded the build for the first time ever. A host counts with the labels that it had then.
  package var hosts = 0
  /// Runs and processes with this build as their program, with their losses and recorded time.
  package var programRuns = 0
  package var processes = 0
  package var seconds = 0.0
  package var drops = 0
  package var uncommitted = 0
  package var lostImages = 0
  package var unreadableSegments = 0
  package var unrecordedProcesses = 0
  package var runningProcesses = 0
  /// The runs whose watch began after them, and the whole seconds of those with this build as their program.
  package var windows = 0
  package var windowSeconds = 0

  package init() {}

  /// The counts with the names of their columns in stores.
  package static let counts = own + watched

  /// The counts in the order of encoded rows.
  static let own: [Count] = [
    ("runs", \.runs), ("hosts", \.hosts), ("program_runs", \.programRuns),
    ("processes", \.processes), ("drops", \.drops), ("uncommitted", \.uncommitted),
    ("lost_images", \.lostImages), ("unreadable_segments", \.unreadableSegments),
  ]

  /// Those that processes cannot have that record themselves.
  static let watched: [Count] = [
    ("windows", \.windows), ("window_seconds", \.windowSeconds),
    ("unrecorded_processes", \.unrecordedProcesses), ("running_processes", \.runningProcesses),
  ]

  package typealias Count = (column: String, path: WritableKeyPath<SeriesTotals, Int> & Sendable)

  package static func + (a: SeriesTotals, b: SeriesTotals) -> SeriesTotals {
    var sum = a
    for (_, path) in counts {
      sum[keyPath: path] = a[keyPath: path].addingClamped(b[keyPath: path])
    }
    sum.seconds += b.seconds
    return sum
  }

  /// The totals without those of an earlier state.
  static func - (a: SeriesTotals, b: SeriesTotals) -> SeriesTotals {
    var rest = a
    for (_, path) in counts { rest[keyPath: path] = max(0, a[keyPath: path] - b[keyPath: path]) }
    rest.seconds = max(0, a.seconds - b.seconds)
    return rest
  }
}
