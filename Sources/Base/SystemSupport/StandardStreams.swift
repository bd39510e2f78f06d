import Glibc

/// Descriptors 0, 1 and 2 of this process.
package enum StandardStreams {
  /// Keeps files that are opened later from becoming a standard stream that this process was
  /// started without: a program that is given its own streams would lose such a file. The stream
  /// stays unusable, as if closed, and is closed in programs. Call it before anything is opened.
  package static func reserve() {
    // <fcntl.h> shows it only to GNU sources, on x86-64 and arm64 alike.
    let onlyItsPath: Int32 = 0o10_000_000
    while true {
      let descriptor = open("/dev/null", onlyItsPath | O_CLOEXEC)
      guard descriptor >= 0, descriptor <= 2 else {
        if descriptor > 2 { close(descriptor) }
        return
      }
    }
  }
}
