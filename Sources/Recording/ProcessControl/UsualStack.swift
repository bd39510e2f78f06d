import FirstlightLauncher

/// A stack of the usual size for this process's first thread and for all that it starts, whatever the user's limit
/// (`ulimit -s`).
package enum UsualStack {
  /// Runs the whole program. Call before any thread starts.
  package static func run(_ main: @convention(c) () -> Void) { fl_run_on_usual_stack(main) }
}
