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
      throw Failure(.system, "cannot make a file: \(ErrorText.of(errno))")
    }
  }

  deinit { close(descriptor) }

  /// The last line that is not blank; empty if there is none.
  var lastWords: String {
    let size = lseek(descriptor, 0, SEEK_END)
    let from = max(0, size - 2000)
    var bytes = [UInt8](repeating: 0, count: max(0, size - from))
    let count = pread(descriptor, &bytes, bytes.count, from)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline)
    return lines.last { $0.contains { !$0.isWhitespace } }.map { String($0.prefix(500)) } ?? ""
  }
}
