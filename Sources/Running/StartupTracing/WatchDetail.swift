/// The amount of detail in which a start is watched.
enum WatchDetail: Hashable {
  /// Only exec and end.
  case plain
  /// The few places that mark stages. If `isLetGo`, the program runs on untraced from `main`, or without a
  /// known `main` from its first instruction after the loader's.
  case stages(hasMain: Bool, isLetGo: Bool)
  /// The loader's system calls, each initializer, and the first call of each function of the program and of the
  /// matching libraries; nil: no functions.
  case details(libraries: [String]?)
  /// Each call of the Swift runtime's functions that look up protocol conformances.
  case lookups
}
