import FirstlightModel
import Glibc

/// The first bytes of a file, which show its kind.
package enum FileStart {
  /// The first bytes, at most 256; empty if the file cannot be read.
  package static func bytes(of path: String) -> [UInt8] {
    guard let file = try? RegularFile(path: path, followsLinks: true) else { return [] }
    return (try? file.bytes(count: 256)) ?? []
  }

  package static func isELF(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
  }

  /// Whether the file begins with `#!`, so that the system runs an interpreter for it (execve(2)).
  package static func isScript(_ path: String) -> Bool { bytes(of: path).starts(with: "#!".utf8) }

  /// Fails with `.data` for a script, naming its interpreter.
  package static func refuseScript(_ path: String) throws(Failure) {
    let start = bytes(of: path)
    guard start.starts(with: "#!".utf8) else { return }
    let line = String(decoding: start.dropFirst(2).prefix { $0 != 10 }, as: UTF8.self)
    let interpreter = line.split(at: " ").joined(separator: " ")
    throw Failure(
      .data, "\(path): a script for \(interpreter), not an ELF program",
      advice: "use the program that it starts")
  }
}
