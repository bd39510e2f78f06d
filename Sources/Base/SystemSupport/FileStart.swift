import FirstlightModel
import Glibc

/// The first bytes of a file, which show its kind.
package enum FileStart {
  /// Its first bytes, at most 256; empty if it cannot be read.
  package static func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  /// Whether the system runs another program for it (execve(2)).
  package static func isScript(_ path: String) -> Bool { bytes(of: path).starts(with: "#!".utf8) }

  /// Fails with `.data` for a script, naming what runs it.
  package static func refuseScript(_ path: String) throws(Failure) {
    let start = bytes(of: path)
    guard start.starts(with: "#!".utf8) else { return }
    let line = String(decoding: start.dropFirst(2).prefix { $0 != 10 }, as: UTF8.self)
    let interpreter = line.split(separator: " ").joined(separator: " ")
    throw Failure(
      .data, "\(path): a script for \(interpreter), not an ELF program",
      advice: "use the program that it starts")
  }
}
