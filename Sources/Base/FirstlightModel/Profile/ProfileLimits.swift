/// The greatest numbers of a profile. They leave room for sums: the start of a process, a time within it and a
/// duration have 64 bits of nanoseconds together.
package enum ProfileLimits {
  /// Runs, processes and losses.
  package static let counts = 0...(1 << 40)
  /// Lines, sizes of functions, processors.
  package static let numbers = 0...Int(Int32.max)
  /// Seconds since 1970, until the year 2106.
  package static let moments = 0...Double(UInt32.max)
  /// Seconds within one process: 34 years.
  package static let delays = 0...Double(1 << 30)
  /// Nanoseconds within one process.
  package static let nanoseconds: UInt64 = 1 << 60
  /// The seconds of all runs together.
  package static let durations = 0...1e15
}
