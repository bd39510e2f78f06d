import FirstlightModel
import Foundation
import Glibc
import SystemSupport

/// The TCP ports that a process listens on: its open sockets, looked up in the kernel's tables
/// (proc_pid_fd(5), proc_pid_net(5)).
package enum ListeningSockets {
  /// Rising; empty if there is none, or the process is inaccessible.
  package static func ports(of process: pid_t) -> [Int] {
    let folder = LiveProcess.folder(of: process)
    let sockets = Self.sockets(folder + "/fd")
    guard !sockets.isEmpty else { return [] }
    let ports = ListeningPort.Table.allCases.flatMap { table in
      (ProcFile.text("\(folder)/net/\(table.rawValue)") ?? "").split(at: "\n")
        .compactMap { port($0, among: sockets) }
    }
    return Set(ports).sorted()
  }

  /// The inode numbers of the open sockets in a folder of descriptors.
  private static func sockets(_ folder: String) -> Set<TextBytes> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let links = names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return Set(
      texts: links.filter { $0.begins(with: "socket:[") }.map { $0.dropFirst(8).dropLast() })
  }

  /// The port in a line of the table, if one of these sockets listens on it.
  private static func port(_ line: Substring, among sockets: Set<TextBytes>) -> Int? {
    // sl, address:port, remote, state, queues, timer, retransmits, user, timeout, number.
    let words = line.split(at: " ")
    // State 0A is LISTEN (include/net/tcp_states.h).
    guard words.count > 9, words[3] == "0A", sockets.contains(words[9]) else { return nil }
    return words[1].split(at: ":").last.flatMap { Int($0, radix: 16) }
  }
}
