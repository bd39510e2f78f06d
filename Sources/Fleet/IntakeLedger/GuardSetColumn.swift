import ByteCoding
import FleetModel
import Foundation

/// Sets of guards as columns hold them: words of a bit for each guard, or, where those would be mostly
/// zeros, guards as rising numbers, each as LEB128 of the difference to the one before.
enum GuardSetColumn {
  static func data(_ set: GuardSet) -> (bytes: Data, isSparse: Bool) {
    switch GuardSelection(set) {
    case .bits(let set): return (set.words.map(\.littleEndian).withUnsafeBytes { Data($0) }, false)
    case .list(let guards):
      var bytes: [UInt8] = []
      var last: UInt32 = 0
      for index in guards {
        LEB128.append(UInt64(index - last), to: &bytes)
        last = index
      }
      return (Data(bytes), true)
    }
  }

  static func set(_ data: Data, isSparse: Bool) -> GuardSet {
    if isSparse {
      return data.withUnsafeBytes { bytes in
        var (at, last) = (0, UInt64(0))
        var guards: [UInt32] = []
        while let step = LEB128.next(bytes, &at), let index = UInt32(exactly: last &+ step) {
          guards.append(index)
          last = UInt64(index)
        }
        return GuardSet(guards)
      }
    }
    return GuardSet(
      words: data.withUnsafeBytes { bytes in
        (0..<bytes.count / 8).map {
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
        }
      })
  }
}
