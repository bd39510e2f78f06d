import Testing

/// What a test needs beside the code it tests, or leans on.
extension Tag {
  /// Builds real programs.
  @Tag package static var compiler: Self
  /// Opens pages in a browser.
  @Tag package static var browser: Self
  /// Runs only as root.
  @Tag package static var root: Self
  /// Judges times: run it alone if it fails on a busy machine.
  @Tag package static var timing: Self
}
