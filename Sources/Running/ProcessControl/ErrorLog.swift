import FirstlightLauncher
import FirstlightModel
import Glibc

/// What a program says on standard error, kept in memory.
final class ErrorLog: Sendable {
  /// For the program. Ours until deinit.
  let descriptor: Int32

  /// - Throws: `Failure` of kind `system`.
  init() throws(Failure) {
    descriptor = fl_unnamed_file()
    guard descriptor >= 0 else {
      throw Failure(.system, "cannot create a file: \(ErrorText.of(errno))")
    }
  }

  deinit { close(descriptor) }

  /// The last line that is not blank; empty if there is none.
  var lastWords: String {
    LogTail.lines(of: descriptor).last.map { String($0.prefix(500)) } ?? ""
  }
}
