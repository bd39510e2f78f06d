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

  /// Whether this process's first calls are being recorded.
  public static var isRecording: Bool {
    firstlight_is_recording()
  }
}
