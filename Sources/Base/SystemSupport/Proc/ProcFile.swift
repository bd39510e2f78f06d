import FirstlightModel
import Glibc

/// Reads files of /proc and /sys, and others whose size is unknown in advance.
package enum ProcFile {
  /// The contents; nil if the file cannot be read (the process may have ended).
  package static func bytes(_ path: String) -> [UInt8]? { try? FileContents.readStream(path) }

  package static func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The target of a symbolic link; nil if there is none, or it may not be read.
  package static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let count = readlink(link, buffer.baseAddress!, buffer.count)
      return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
  }

  /// The arguments of a process, each of which ends with a zero (proc_pid_cmdline(5)).
  package static func arguments(_ bytes: some Collection<UInt8>) -> [String] {
    var words = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    if words.last == "" { words.removeLast() }
    return words
  }

  /// The number at the start of a file, as in settings; nil if there is none.
  package static func number(_ path: String) -> Int? {
    text(path).flatMap { Int(Substring($0.utf8.prefix(while: \.isASCIIDigit))) }
  }

  /// The first line that begins with `start`, without its end; nil if there is none. Reads no further.
  package static func line(of path: String, beginning start: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while case let count = getline(&line, &room, file), count > 0, let bytes = line {
      guard strncmp(bytes, start, start.utf8.count) == 0 else { continue }
      let end = bytes[count - 1] == 10 ? count - 1 : count
      return String(
        decoding: UnsafeRawBufferPointer(start: bytes, count: end), as: UTF8.self)
    }
    return nil
  }
}
