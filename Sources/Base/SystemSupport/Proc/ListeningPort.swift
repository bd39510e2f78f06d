import Glibc

/// Finds listeners on a TCP port in the kernel's tables, without connecting, so the program does
/// not notice (proc_pid_net(5), tcp and tcp6).
package struct ListeningPort {
  /// `:` and the port as in the tables, four hexadecimal digits.
  private let tail: [UInt8]

  package enum Table: String, CaseIterable {
    case v4 = "tcp"
    /// IPv6 sockets, which may accept IPv4 too.
    case v6 = "tcp6"
  }

  package struct Listener {
    /// 32-bit words in the machine's byte order, 8 hexadecimal digits each.
    package let address: String
    /// Nil if the table has no user.
    package let user: uid_t?
  }

  package init(_ port: Int) {
    let digits = String(port, radix: 16, uppercase: true)
    tail = Array((":" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
  }

  /// - Parameter process: selects the network namespace; nil, and one that has ended: our own.
  package func isOpen(process: pid_t? = nil) -> Bool {
    let folder = process.flatMap { LiveProcess.folder(ofLiving: $0) } ?? "/proc/self"
    return Table.allCases.contains { table in
      guard let bytes = ProcFile.bytes(Self.path(table, folder)) else { return false }
      return Self.lines(of: bytes).contains { words($0) != nil }
    }
  }

  /// All listeners in our own network namespace; empty if the table cannot be read.
  package func listeners(_ table: Table) -> [Listener] {
    guard let bytes = ProcFile.bytes(Self.path(table, "/proc/self")) else { return [] }
    return Self.lines(of: bytes).compactMap(words).map { words in
      // Fields after the state: queues, timer, retransmits, user.
      let rest = words[4...].flatMap { $0.split(separator: UInt8(ascii: " "), maxSplits: 4) }
      return Listener(
        address: String(decoding: words[1].dropLast(tail.count), as: UTF8.self),
        user: rest.count > 3 ? uid_t(String(decoding: rest[3], as: UTF8.self)) : nil)
    }
  }

  private static func path(_ table: Table, _ folder: String) -> String {
    "\(folder)/net/\(table.rawValue)"
  }

  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "\n"))
  }

  /// "sl local_address rem_address st" and the rest; nil unless the socket listens on the port.
  private func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
    // State 0A is LISTEN (include/net/tcp_states.h).
    guard words.count > 3, words[3].elementsEqual("0A".utf8), words[1].suffix(5).elementsEqual(tail)
    else { return nil }
    return words
  }
}
