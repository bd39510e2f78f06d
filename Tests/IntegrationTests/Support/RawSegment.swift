import Foundation
import TestSupport

/// A segment file as bytes, read by the layout in firstlight_abi.h and by nothing of ours.
struct RawSegment {
  struct Record {
    var `guard`, thread, sequence: UInt32
    /// Nanoseconds.
    var time: UInt64
  }

  var capacity: Int
  /// Slots handed out.
  var count: Int
  /// Those of them that are complete.
  var records: [Record]

  var uncommitted: Int { count - records.count }

  init(path: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    func word(_ offset: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    capacity = Int(word(20))
    count = Int(word(4032))
    records = stride(from: 4096, to: 4096 + count * 24, by: 24).compactMap { at in
      word(at) == 0
        ? nil
        : Record(
          guard: word(at), thread: word(at + 4), sequence: word(at + 16),
          time: UInt64(word(at + 8)) | UInt64(word(at + 12)) << 32)
    }
  }

  /// All of a directory, those of a process side by side in the order it made them.
  static func all(in directory: TemporaryDirectory) throws -> [RawSegment] {
    try directory.entries.filter { $0.hasSuffix(".segment") }
      .map { try RawSegment(path: directory.path($0)) }
  }
}
