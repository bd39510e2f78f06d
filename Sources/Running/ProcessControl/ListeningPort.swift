import SystemSupport

/// Whether anything listens on a TCP port, asked of the kernel's tables without connecting: the
/// program does not notice.
package struct ListeningPort {
  private let tail: [UInt8]

  package init(_ port: Int) {
    let digits = String(port, radix: 16, uppercase: true)
    tail = Array((":" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
  }

  /// - Parameter process: whose network namespace; "self" is ours.
  package func isOpen(process: String) -> Bool {
    ["tcp", "tcp6"].contains { table in
      guard let bytes = ProcFile.bytes("/proc/\(process)/net/\(table)") else { return false }
      return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
        // "sl local_address rem_address st ...": state 0A is LISTEN (include/net/tcp_states.h).
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
        return words.count > 3 && words[3].elementsEqual([0x30, 0x41])
          && words[1].suffix(5).elementsEqual(tail)
      }
    }
  }
}
