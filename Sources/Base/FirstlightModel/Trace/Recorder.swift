/// What made a build's traces.
package enum Recorder: String, Hashable, Sendable, CaseIterable {
  /// Hooks that were compiled in: a function is its guard index.
  case guards
  /// One-shot breakpoints on a build as it is: a function is the place of its address among all
  /// addresses where function symbols start, counted from 0. It is called guard index all the same.
  case breakpoints
}
