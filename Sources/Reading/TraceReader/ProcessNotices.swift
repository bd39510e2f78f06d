import FirstlightABI
import FirstlightModel

/// What a process noted in its file instead of saying it on standard error.
enum ProcessNotices {
  /// - Parameters:
  ///   - bits: `FL_NOTICE_...`; those of a newer runtime are passed over.
  ///   - error: `errno` of the last of them; 0: none.
  ///   - name: The process file, as messages call it.
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
