import FirstlightModel
import WorkerSandbox

/// Proves that a file is the one that its build id names.
///
/// lld 15 and later makes the id for `--build-id=sha1` and `md5` of the file itself, with the id's bytes zero: the
/// hash of the hashes of pieces of 1 MiB (ELF/Writer.cpp, `writeBuildId`). Ids of other linkers, and of files that
/// were stripped afterwards, prove nothing.
enum LinkedBuildID {
  private static let pieceSize = 1 << 20

  static func isProven(_ id: BuildID, by file: UnsafeRawBufferPointer) -> Bool {
    let id = bytes(of: id)
    // Any place of the id will do: no one can forge other bytes with this hash.
    guard [16, 20].contains(id.count), let place = place(of: id, in: file) else { return false }
    var hashes: [UInt8] = []
    for start in stride(from: 0, to: file.count, by: pieceSize) {
      let end = min(start + pieceSize, file.count)
      let piece = UnsafeRawBufferPointer(rebasing: file[start..<end])
      let zeros = place.clamped(to: start..<end)
      hashes +=
        zeros.isEmpty
        ? ContentHash.of(piece)[..<id.count]
        : Array(piece).withZeros(zeros.lowerBound - start..<zeros.upperBound - start) {
          ContentHash.of($0)[..<id.count]
        }
    }
    return ContentHash.of(hashes)[..<id.count] == id[...]
  }

  /// Empty for a digest that stands in for a missing id.
  private static func bytes(of id: BuildID) -> [UInt8] {
    let digits = id.isFileDigest ? [] : Array(id.description.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
  }

  /// The first place of the id: notes come early.
  private static func place(of id: [UInt8], in file: UnsafeRawBufferPointer) -> Range<Int>? {
    let last = min(file.count, pieceSize) - id.count
    guard last >= 0 else { return nil }
    for start in 0...last where file[start] == id[0] && file[start...].starts(with: id) {
      return start..<start + id.count
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func withZeros<Value>(
    _ zeros: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    var copy = self
    for place in zeros { copy[place] = 0 }
    return copy.withUnsafeBytes(body)
  }
}

/// BLAKE3, a cryptographic hash: one-way and collision-resistant.
package enum ContentHash {
  /// - Returns: 32 bytes.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    // C needs an address even for no bytes.
    withUnsafeBytes(of: UInt8(0)) { nothing in
      fl_blake3(bytes.baseAddress ?? nothing.baseAddress!, bytes.count, &hash)
    }
    return hash
  }

  package static func of(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { of($0) } }
}
