/// How closely a start is watched.
enum LaunchPlan: Hashable {
  /// Its exec and its end alone.
  case plain
  /// The loader's work, each initializer, main.
  case stages
  /// All that, and the first call of each function: of the programs, and of the libraries that fit.
  case calls(libraries: [String])
}
