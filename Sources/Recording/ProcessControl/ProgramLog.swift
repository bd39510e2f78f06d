import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A file for a program's output and errors; the program has no input.
package final class ProgramLog: Sendable {
  /// Empty for an unnamed file in memory.
  package let path: String
  /// Owned by this object.
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

  /// Descriptors 1 and 2 of a program.
  package var descriptor: Int32 { file }

  /// The beginning of the file, at most `count` bytes.
  package func start(_ count: Int) -> String { String(decoding: bytes(count), as: UTF8.self) }

  /// All of it.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes of all of it.
  package var bytes: [UInt8] { bytes(Int(max(0, lseek(file, 0, SEEK_END)))) }

  private func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, read in
      while read < count {
        let size = pread(file, room.baseAddress! + read, count - read, off_t(read))
        guard size > 0 else { break }
        read += size
      }
    }
  }

  /// The last line that is not blank; empty if there is none.
  package var lastLine: String { lastLines(1).first ?? "" }

  /// The lines that explain a failed build: the errors of compilers and linkers, or else those of the programs that
  /// started them, or else its last lines.
  package func reasons(_ count: Int) -> [String] {
    let lines = ((try? TextFile.read(path)) ?? "").split(at: "\n")
    var known: Set<TextBytes> = []
    let errors = lines.filter {
      ($0.containsUTF8("error:") || $0.containsUTF8("undefined reference to ")
        || $0.containsUTF8(": multiple definition of ") || $0.containsUTF8("*** ")
        || $0.containsUTF8(": cannot find ")) && known.insert($0).inserted
    }
    let causes = errors.filter { line in
      !line.containsUTF8("*** ") && !line.begins(with: "collect2: ")
        && !line.containsUTF8("linker command failed")
    }
    let first = (causes.isEmpty ? errors : causes).prefix(count).map(String.init)
    return first.isEmpty ? lastLines(count) : first
  }

  /// The different lines that begin with a prefix, without it.
  package func lines(from prefix: String) -> [String] {
    var known: Set<TextBytes> = []
    return ((try? TextFile.read(path)) ?? "").split(at: "\n")
      .compactMap { $0.removing(prefix: prefix) }.filter { known.insert($0).inserted }
      .map(String.init)
  }

  /// The last lines that are not blank.
  package func lastLines(_ count: Int) -> [String] {
    LogTail.lines(of: file).suffix(count).map { line in
      String(line.filter { $0 == "\t" || $0 >= " " })
    }
  }
}

/// The end of a program's output in a file.
enum LogTail {
  private static let bytes = 8192

  /// The last lines that are not blank; the first may lack its beginning.
  static func lines(of file: Int32) -> [Substring] {
    let size = lseek(file, 0, SEEK_END)
    var tail = [UInt8](repeating: 0, count: bytes)
    let count = pread(file, &tail, tail.count, max(0, size - bytes))
    return String(decoding: tail.prefix(max(0, count)), as: UTF8.self)
      .lines.filter { !$0.trimmed.isEmpty }
  }
}
