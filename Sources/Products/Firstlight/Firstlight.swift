internal import FirstlightRuntime

/// What a program may tell Firstlight while it is being recorded.
///
/// Every call does nothing, cheaply, in a program that is not.
public enum Firstlight {
  /// Says that the program has started up; what runs from now on is not start-up.
  ///
  /// The first call in a process counts, later ones do nothing. `firstlight record --until ready`
  /// stops at this moment.
  public static func ready() {
    firstlight_ready()
  }

  /// Whether this process's first calls are being recorded, in the image that asks.
  public static var isRecording: Bool {
    firstlight_is_recording()
  }

  /// Starts to record a process that was started without `FIRSTLIGHT_DIR`, in all its images and in
  /// those it loads later.
  ///
  /// Does nothing if the process is being recorded already.
  /// - Parameter directory: Absolute path of an existing directory.
  /// - Returns: Whether all images with guards are being recorded. If not, a line on standard error
  ///   says why, and so does `errno`.
  @discardableResult
  public static func start(directory: String) -> Bool {
    firstlight_start(directory)
  }

  /// Stops recording for now, in all images.
  ///
  /// What is called first meanwhile is recorded when it is called again after `resume()`.
  public static func pause() {
    firstlight_pause()
  }

  /// Goes on recording after `pause()`, or in a process that `FIRSTLIGHT_PAUSED` has start paused.
  public static func resume() {
    firstlight_resume()
  }

  /// Forgets what was recorded in this process so far: its trace holds what is called first from now
  /// on.
  ///
  /// A call that another thread is making meanwhile may fall on either side. Each reset keeps as much
  /// address space as the segments have, so it is for a few moments in a process's life.
  /// - Returns: Whether it was possible in all images; if not, `errno` says why.
  @discardableResult
  public static func reset() -> Bool {
    firstlight_reset()
  }

  /// Waits until what was recorded so far is on the storage, for machines that may lose power.
  ///
  /// Readers on this machine, and the process's own end, need not wait for anything.
  /// - Returns: Whether the storage took it; if not, `errno` says why.
  @discardableResult
  public static func flush() -> Bool {
    firstlight_flush()
  }
}
