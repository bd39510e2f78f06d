import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A file that a program's output and errors go to; it has nothing to read.
package final class ProgramLog {
  /// Empty: a file in memory, without a name.
  package let path: String
  /// Ours until deinit.
  private let file: Int32

  /// - Throws: `Failure` of kind `cannotCreate`.
  package init(_ path: String) throws(Failure) {
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.cannotCreate, "\(path): cannot write: \(ErrorText.of(errno))")
    }
    self.path = path
  }

  /// - Throws: `Failure` of kind `system`.
  package init() throws(Failure) {
    file = fl_unnamed_file()
    guard file >= 0 else {
      throw Failure(.system, "cannot create a file: \(ErrorText.of(errno))")
    }
    path = ""
  }

  deinit { close(file) }

  /// Makes it a program's standard output and error.
  package func add(to actions: inout posix_spawn_file_actions_t) {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, file, 1)
    posix_spawn_file_actions_adddup2(&actions, file, 2)
  }

  /// For descriptors 1 and 2 of a program.
  package var descriptor: Int32 { file }

  /// What it begins with, at most `count` bytes.
  package func start(_ count: Int) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    let size = pread(file, &bytes, count, 0)
    return String(decoding: bytes.prefix(max(0, size)), as: UTF8.self)
  }

  /// The last line that says something; empty if there is none.
  package var lastLine: String { lastLines(1).first ?? "" }

  /// The lines that say why a build failed: its errors, or its end if it names none.
  package func reasons(_ count: Int) -> [String] {
    let errors = ((try? TextFile.read(path)) ?? "").split(separator: "\n").filter {
      $0.contains("error:") || $0.contains("*** ")
    }
    var known: Set<Substring> = []
    let first = errors.filter { known.insert($0).inserted }.prefix(count).map(String.init)
    return first.isEmpty ? lastLines(count) : first
  }

  /// The last lines that say something.
  package func lastLines(_ count: Int) -> [String] {
    LogTail.lines(of: file).suffix(count).map { line in
      String(line.filter { $0 == "\t" || $0 >= " " })
    }
  }
}

/// The end of what a program wrote into a file.
enum LogTail {
  private static let bytes = 8192

  /// The last lines that say something; the first may lack its beginning.
  static func lines(of file: Int32) -> [Substring] {
    let size = lseek(file, 0, SEEK_END)
    var tail = [UInt8](repeating: 0, count: bytes)
    let count = pread(file, &tail, tail.count, max(0, size - bytes))
    return String(decoding: tail.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
  }
}

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
