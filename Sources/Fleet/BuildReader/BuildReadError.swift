import FirstlightModel

/// Why a build's file gave no function table.
package enum BuildReadError: Error, Hashable, Sendable {
  /// It cannot give one: not a binary, without guards, damaged in a way that its reader noticed.
  case unfit(Failure)
  /// Its reader had to be stopped, crashed or talked nonsense, for this reason.
  case stopped(String)
  /// It was not tried.
  case unavailable(Failure)
}
