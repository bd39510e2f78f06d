/// The fields of /proc/PID/stat (proc_pid_stat(5)).
package struct ProcessStat {
  /// `Z`: a zombie.
  package let state: Character
  /// Number of its session (setsid(2)).
  package let session: Int
  /// Page faults so far.
  package let minorFaults, majorFaults: UInt64
  package let threadCount: Int
  /// Clock ticks since boot.
  package let startTime: UInt64

  /// Nil if there is no such process.
  package init?(of pid: some FixedWidthInteger) {
    guard let text = ProcFile.text("/proc/\(pid)/stat") else { return nil }
    self.init(text)
  }

  init?(_ text: String) {
    // The second field is the program's name in brackets, and may hold anything. Behind it come the fields
    // from the third on.
    guard let bracket = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: bracket)...].split(separator: " ")
    guard fields.count > 19, let state = fields[0].first, let session = Int(fields[3]),
      let minor = UInt64(fields[7]),
      let major = UInt64(fields[9]), let threads = Int(fields[17]), let start = UInt64(fields[19])
    else { return nil }
    (self.state, self.session) = (state, session)
    (minorFaults, majorFaults, threadCount, startTime) = (minor, major, threads, start)
  }
}
