import FirstlightModel

/// Reads input sections from a linker's map (`-Wl,-Map=FILE`): lld's, GNU ld's and gold's.
package enum LinkMap {
  /// The input sections with an address and a size, sorted by address. Skips lines of unknown form.
  package static func inputSections(_ text: String) -> [InputSection] {
    var sections: [InputSection] = []
    // GNU ld and gold break the line after a long section name.
    var pending: Line?
    // Maps of large programs have tens of megabytes, so they are split as bytes.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d })
      var found = lld(words, line)
      if found == nil, line.first == 0x20, let first = words.first {
        if first.first == UInt8(ascii: ".") {
          if words.count == 1 {
            pending = first
            continue
          }
          found = gnu(first, words.dropFirst())
        } else if let pending {
          found = gnu(pending, words[...])
        }
      }
      pending = nil
      if let found { sections.append(found) }
    }
    return sections.sorted { $0.addresses.lowerBound < $1.addresses.lowerBound }
  }

  /// The range of an output section in lld's map: `1700 1700 21 16 .text`; nil if the map does not have it.
  package static func outputSection(_ name: String, in text: String) -> Range<UInt64>? {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count == 5, words[4].elementsEqual(name.utf8),
        let address = UInt64(Substring(words[0]), radix: 16),
        let size = UInt64(Substring(words[2]), radix: 16)
      else { continue }
      let (end, overflow) = address.addingReportingOverflow(size)
      return overflow ? nil : address..<end
    }
    return nil
  }

  private typealias Line = Substring.UTF8View.SubSequence

  /// `1700 1700 21 16 path/to/file.o:(.text.main)`: addresses and size without 0x, then alignment.
  private static func lld(_ words: [Line], _ line: Line) -> InputSection? {
    guard words.count >= 5, words.last?.last == UInt8(ascii: ")"),
      let address = UInt64(Substring(words[0]), radix: 16),
      UInt64(Substring(words[1]), radix: 16) != nil,
      let size = UInt64(Substring(words[2]), radix: 16), UInt64(Substring(words[3])) != nil
    else { return nil }
    let rest = Substring(line[words[4].startIndex..<words[words.count - 1].endIndex])
    guard let colon = rest.lastRange(ofUTF8: ":(") else { return nil }
    return section(
      name: rest[colon.upperBound...].dropLast(), address: address, size: size,
      file: String(rest[..<colon.lowerBound]))
  }

  /// ` .text.main 0x0000000000001130 0x21 path/to/file.o`
  private static func gnu(_ name: Line, _ words: ArraySlice<Line>) -> InputSection? {
    guard words.count >= 3, let address = prefixedHex(words[words.startIndex]),
      let size = prefixedHex(words[words.startIndex + 1])
    else { return nil }
    return section(
      name: Substring(name), address: address, size: size,
      file: words.dropFirst(2).map { String(Substring($0)) }.joined(separator: " "))
  }

  private static func section(
    name: Substring, address: UInt64, size: UInt64, file: String
  ) -> InputSection? {
    let (end, overflow) = address.addingReportingOverflow(size)
    guard size > 0, !overflow else { return nil }
    return InputSection(addresses: address..<end, file: file, name: String(name))
  }

  private static func prefixedHex(_ word: Line) -> UInt64? {
    let text = Substring(word)
    return text.begins(with: "0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }
}
