import FirstlightModel
import Glibc
import SystemSupport

/// Decodes non-ASCII identifiers (RFC 3492, with Rust's delimiter `_`).
enum Punycode {
  static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    var scalars: [UnicodeScalar] = []
    var rest = bytes
    if let end = bytes.lastIndex(of: UInt8(ascii: "_")) {
      scalars = bytes[..<end].map { UnicodeScalar($0) }
      rest = bytes[(end + 1)...]
    }
    var (code, position, bias) = (128, 0, 72)
    while !rest.isEmpty {
      let before = position
      var weight = 1
      var step = 36
      while true {
        guard let byte = rest.popFirst(), let digit = digit(byte), weight < 1 << 24 else {
          return nil
        }
        position += digit * weight
        let threshold = min(max(step - bias, 1), 26)
        if digit < threshold { break }
        weight *= 36 - threshold
        step += 36
      }
      let count = scalars.count + 1
      bias = adapt(position - before, count, isFirst: before == 0)
      code += position / count
      position %= count
      guard code <= 0x10ffff, let scalar = UnicodeScalar(UInt32(code)) else { return nil }
      scalars.insert(scalar, at: position)
      position += 1
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 97
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 48 + 26
    default: nil
    }
  }

  private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / count
    var bias = 0
    while delta > 455 {
      delta /= 35
      bias += 36
    }
    return bias + 36 * delta / (delta + 38)
  }
}
