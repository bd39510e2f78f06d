import DebugInfo
import FirstlightModel

/// A word for a place in code: an address, or a function or section with an offset.
package struct PlaceWord {
  private let word: Substring

  package init(_ word: Substring) { self.word = word }

  /// The link-time address of the place.
  /// - Throws: `.data` if the word has another form, or names something unknown.
  package func address(in image: DebugImage) throws(Failure) -> UInt64 {
    if let address = Self.number(word.utf8[...]) { return address }
    // Splits at the last sign, because a name may contain others.
    guard let sign = word.lastIndex(ofUTF8: "+"), sign > word.startIndex,
      word[sign...].begins(with: "+0x"), let offset = Self.number(word[sign...].utf8.dropFirst())
    else {
      throw Failure(
        .data, "\"\(word.prefix(60))\" is not a PC",
        advice: "use hexadecimal digits, with or without 0x, or NAME+0xOFFSET")
    }
    do throws(Failure) {
      return try image.address(of: String(word[..<sign]), offset: offset)
    } catch {
      throw Failure(error.kind, "\"\(word.prefix(60))\": \(error.problem)", advice: error.advice)
    }
  }

  /// Nil if the digits aren't a hexadecimal number of at most 64 bits.
  private static func number(_ text: Substring.UTF8View) -> UInt64? {
    var digits = text
    if digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first,
      second | 0x20 == UInt8(ascii: "x")
    {
      digits = digits.dropFirst(2)
    }
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      guard value >> 60 == 0 else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }
}
