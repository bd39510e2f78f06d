/// How closely a start is watched.
enum LaunchPlan: Hashable {
  /// Its exec and its end alone.
  case plain
  /// The few places that mark stages. If `isLetGo`, the program runs on untraced from `main` on; without
  /// one, from its first instruction behind the loader's.
  case stages(hasMain: Bool, isLetGo: Bool)
  /// The loader's system calls, each initializer, and the first call of each function of the program and of
  /// the libraries that fit; nil: no functions.
  case details(libraries: [String]?)
}
