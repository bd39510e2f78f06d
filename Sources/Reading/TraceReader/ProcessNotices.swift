import FirstlightABI
import FirstlightModel
import Glibc
import SystemSupport

/// Notices that a process recorded in its file instead of writing to standard error.
enum ProcessNotices {
  /// - Parameters:
  ///   - bits: `FL_NOTICE_...`; unknown bits of a newer runtime are ignored.
  ///   - error: `errno` of the last notice; 0 if none.
  ///   - name: the process file's name in messages.
  static func failures(_ bits: UInt32, error: UInt32, name: String) -> [Failure] {
    let code = CInt(exactly: error) ?? 0
    let reason = code > 0 ? ": \(ErrorText.of(code))" : ""
    return notices.filter { bits & $0.bit != 0 }.map {
      Failure(.lossy, "\(name): \($0.text)\($0.hasReason ? reason : "")")
    }
  }

  private static let notices: [(bit: UInt32, text: String, hasReason: Bool)] = [
    (FL_NOTICE_FORK, "a forked process could not be recorded", true),
    (FL_NOTICE_SEGMENT, "a segment could not be created", true),
    (FL_NOTICE_MARKS, "the marks file could not be created; marks are missing", true),
    (FL_NOTICE_CUT, "a file in the directory was truncated; later calls are missing", false),
    (
      FL_NOTICE_CONFINED,
      "a forked process was not recorded: it had, or might have, confined itself (seccomp filter, "
        + "other root directory)", false
    ),
    (
      FL_NOTICE_MARKS_CONFINED,
      "marks are missing: the process had, or might have, confined itself before its first", false
    ),
  ]
}
