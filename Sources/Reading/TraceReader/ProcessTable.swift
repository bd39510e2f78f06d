import Glibc

/// What /proc tells of processes.
package enum ProcessTable {
  /// A live process's start time, in clock ticks since boot; nil if there is none or it is a zombie.
  ///
  /// A process whose first thread has ended looks like a zombie while its other threads go on: it
  /// lives as long as it has several.
  package static func startTime(of pid: UInt32) -> UInt64? {
    guard let file = fopen("/proc/\(pid)/stat", "re") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = fread(&buffer, 1, buffer.count, file)
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    // The second field is the program's name in brackets, and may hold anything.
    guard let bracket = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: bracket)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z" || (Int(fields[17]) ?? 0) > 1 else { return nil }
    return UInt64(fields[19])
  }

  /// A live process's real, effective, saved and file system user ids; nil if there is none.
  package static func users(of pid: UInt32) -> [UInt32]? {
    words(after: "Uid:", in: "/proc/\(pid)/status")?.compactMap { UInt32($0) }
  }

  /// A live process's pid in the innermost namespace that it is in; nil if there is none.
  package static func innermostPID(of pid: UInt32) -> UInt32? {
    words(after: "NStgid:", in: "/proc/\(pid)/status")?.last.flatMap { UInt32($0) }
  }

  /// When this machine was started, seconds since 1970; nil if unknown.
  package static var bootTime: Int? {
    words(after: "btime", in: "/proc/stat")?.first.flatMap { Int($0) }
  }

  /// What follows the first word of the line that begins with it; nil if there is no such line.
  private static func words(after first: String, in path: String) -> [String]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace)
      if words.first == first[...] { return words.dropFirst().map(String.init) }
    }
    return nil
  }

  /// Inode of our own pid namespace; 0 if unknown.
  package static var ownNamespace: UInt32 {
    var status = stat()
    return stat("/proc/self/ns/pid", &status) == 0 ? UInt32(truncatingIfNeeded: status.st_ino) : 0
  }
}
