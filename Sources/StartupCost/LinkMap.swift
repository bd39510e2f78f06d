/// The input sections that a linker's map lists, of lld or of GNU ld and gold.
public struct LinkMap: Sendable {
  public struct InputSection: Hashable, Sendable {
    public var name: String
    public var address: UInt64
    public var size: UInt64
    /// The object file or archive it came from, without an archive's member.
    public var file: String

    public init(name: String, address: UInt64, size: UInt64, file: String) {
      self.name = name
      self.address = address
      self.size = size
      self.file = file
    }
  }

  public var sections: [InputSection] = []

  /// Reads a map; lines that it cannot make sense of are left out.
  public init(_ text: String) {
    var pendingName: String?
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
      if let section = Self.lld(words, line) {
        sections.append(section)
        pendingName = nil
        continue
      }
      // GNU: " .text.name  0xADDRESS  0xSIZE FILE", the name on a line of its own if it is long.
      guard line.first == 0x20, let first = words.first else {
        pendingName = nil
        continue
      }
      if first.first == UInt8(ascii: ".") {
        if words.count == 1 {
          pendingName = String(Substring(first))
        } else {
          add(name: String(Substring(first)), words.dropFirst())
          pendingName = nil
        }
      } else if let name = pendingName {
        add(name: name, words[...])
        pendingName = nil
      }
    }
  }

  /// `VMA LMA Size Align FILE:(SECTION)`, numbers hexadecimal but for the alignment.
  private static func lld(
    _ words: [Substring.UTF8View.SubSequence], _ line: Substring.UTF8View.SubSequence
  ) -> InputSection? {
    guard words.count >= 5, line.last == UInt8(ascii: ")"),
      let address = UInt64(Substring(words[0]), radix: 16),
      UInt64(Substring(words[1]), radix: 16) != nil,
      let size = UInt64(Substring(words[2]), radix: 16), UInt64(Substring(words[3])) != nil
    else { return nil }
    let rest = Substring(line[words[4].startIndex...])
    guard let colon = rest.lastRange(of: ":(") else { return nil }
    return InputSection(
      name: String(rest[colon.upperBound...].dropLast()), address: address, size: size,
      file: container(rest[..<colon.lowerBound]))
  }

  private mutating func add(name: String, _ words: ArraySlice<Substring.UTF8View.SubSequence>) {
    guard words.count >= 3, let start = words.first,
      let address = Self.prefixedHex(Substring(start)),
      let size = Self.prefixedHex(Substring(words[words.startIndex + 1]))
    else { return }
    let file = words.dropFirst(2).map { String(Substring($0)) }.joined(separator: " ")
    sections.append(
      InputSection(name: name, address: address, size: size, file: Self.container(file[...])))
  }

  private static func prefixedHex(_ text: Substring) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }

  /// `libx.a(member.o)` is `libx.a`.
  private static func container(_ file: Substring) -> String {
    guard file.hasSuffix(")"), let bracket = file.lastIndex(of: "(") else { return String(file) }
    return String(file[..<bracket])
  }
}

extension Substring {
  fileprivate func lastRange(of text: String) -> Range<Index>? {
    let bytes = Array(text.utf8)
    let all = utf8
    guard all.count >= bytes.count else { return nil }
    var start = all.index(all.endIndex, offsetBy: -bytes.count)
    while true {
      let end = all.index(start, offsetBy: bytes.count)
      if all[start..<end].elementsEqual(bytes) { return start..<end }
      if start == all.startIndex { return nil }
      start = all.index(before: start)
    }
  }
}
