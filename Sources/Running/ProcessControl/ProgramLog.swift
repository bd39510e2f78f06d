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
