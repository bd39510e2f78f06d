internal import FirstlightRuntime

/// Reports readiness and controls the recording of a program, from inside it.
///
/// In a program that is not being recorded, each call returns at once and does nothing.
public enum Firstlight {
  /// Reports that the program is ready: start-up ends here.
  ///
  /// Only the first call in a process counts. `firstlight record --until ready` stops at this call.
  public static func ready() {
    firstlight_ready()
  }

  /// Whether first calls of the calling binary are being recorded in this process.
  public static var isRecording: Bool {
    firstlight_is_recording()
  }

  /// Starts recording in a process that was started without `FIRSTLIGHT_DIR`.
  ///
  /// Records all instrumented binaries of the process, including those it loads later. Does nothing if
  /// the process is already being recorded.
  /// - Parameter directory: Absolute path of an existing directory.
  /// - Returns: Whether all instrumented binaries are being recorded. If not, a line on standard error
  ///   gives the reason, and `errno` is set.
  @discardableResult
  public static func start(directory: String) -> Bool {
    firstlight_start(directory)
  }

  /// Pauses recording in all binaries.
  ///
  /// A function that runs first during the pause is recorded at its first call after `resume()`.
  public static func pause() {
    firstlight_pause()
  }

  /// Resumes recording after `pause()`, or in a process started with `FIRSTLIGHT_PAUSED`.
  public static func resume() {
    firstlight_resume()
  }

  /// Waits until the recording so far is on the disk, to survive a power failure.
  ///
  /// Not needed for readers on this machine, nor before the process exits.
  /// - Returns: Whether the recording was written; if not, `errno` is set.
  @discardableResult
  public static func flush() -> Bool {
    firstlight_flush()
  }
}
