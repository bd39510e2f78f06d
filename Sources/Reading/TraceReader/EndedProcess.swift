import FirstlightModel

/// What a process left that has ended.
package struct EndedProcess: Sendable {
  /// Nil if no file of it could be read. Without first calls if they were not requested.
  package var trace: Trace?
  /// What was called of each of the trace's images.
  package var called: [CalledGuards]
  /// What was wrong with its files. Repeated sequences are found where first calls are asked for.
  package var problems: [Failure]
}
