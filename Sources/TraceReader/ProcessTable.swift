import Glibc

/// What /proc tells of processes.
public enum ProcessTable {
  /// A live process's start time, in clock ticks since boot; nil if there is none or it is a zombie.
  ///
  /// A process whose first thread has ended looks like a zombie while its other threads go on: it
  /// lives as long as it has several.
  public static func startTime(of pid: UInt32) -> UInt64? {
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
}
