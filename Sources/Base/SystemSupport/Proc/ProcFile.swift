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

/// The fields of /proc/PID/stat, and of a task's (proc_pid_stat(5)).
package struct ProcessStat {
  /// `Z`: a zombie.
  package let state: Character
  /// Whether the task has ended, or is about to and has given up its memory: PF_EXITING (linux/sched.h).
  package let isOfEndedTask: Bool
  /// Process id of the parent.
  package let parent: Int
  /// Session id (setsid(2)).
  package let session: Int
  /// Page faults so far.
  package let minorFaults, majorFaults: UInt64
  package let threadCount: Int
  /// Clock ticks since boot.
  package let startTime: UInt64

  /// Nil if there is no such process.
  package init?(of pid: some FixedWidthInteger) {
    self.init(at: "/proc/\(pid)")
  }

  /// - Parameter folder: of a process or a task.
  init?(at folder: String) {
    guard let text = ProcFile.text(folder + "/stat") else { return nil }
    self.init(text)
  }

  init?(_ text: String) {
    // The second field is the program's name in brackets, which may contain any character. The
    // fields from the third on follow it.
    guard let fields = text.cutLast(at: ")")?.behind.split(at: " ") else { return nil }
    guard fields.count > 19, let state = fields[0].first, let parent = Int(fields[1]),
      let session = Int(fields[3]), let flags = UInt32(fields[6]),
      let minor = UInt64(fields[7]),
      let major = UInt64(fields[9]), let threads = Int(fields[17]), let start = UInt64(fields[19])
    else { return nil }
    (self.state, self.parent, self.session) = (state, parent, session)
    isOfEndedTask = state == "Z" || state == "X" || flags & 4 != 0
    (minorFaults, majorFaults, threadCount, startTime) = (minor, major, threads, start)
  }
}
