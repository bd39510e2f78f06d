import SymbolOrdering

/// What a linker's map (`-Wl,-Map=FILE`) says of input sections: lld's, GNU ld's and gold's.
public enum LinkMap {
  /// The input sections with an address and a size, sorted by address.
  public static func inputSections(_ text: String) -> [InputSection] {
    var sections: [InputSection] = []
    // GNU ld and gold break the line after a long section name.
    var pending: Substring?
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      if let section = lld(line, fields) {
        sections.append(section)
        pending = nil
      } else if line.hasPrefix(" ."), fields.count == 1 {
        pending = fields[0]
      } else if line.hasPrefix(" ."), fields.count >= 4 {
        append(gnu(fields[0], fields.dropFirst()), to: &sections)
        pending = nil
      } else {
        if let name = pending, fields.count >= 3 { append(gnu(name, fields[...]), to: &sections) }
        pending = nil
      }
    }
    return sections.sorted { $0.addresses.lowerBound < $1.addresses.lowerBound }
  }

  private static func append(_ section: InputSection?, to sections: inout [InputSection]) {
    if let section { sections.append(section) }
  }

  /// `1700 1700 21 16 path/to/file.o:(.text.main)`: addresses and size without 0x, then alignment.
  private static func lld(_ line: Substring, _ fields: [Substring]) -> InputSection? {
    guard line.hasSuffix(")"), fields.count >= 5, let open = line.range(of: ":("),
      let address = UInt64(fields[0], radix: 16), let size = UInt64(fields[2], radix: 16),
      size > 0, address <= .max - size
    else { return nil }
    return InputSection(
      addresses: address..<address + size,
      file: String(line[fields[4].startIndex..<open.lowerBound]),
      name: String(line[open.upperBound...].dropLast()))
  }

  /// ` .text.main 0x0000000000001130 0x21 path/to/file.o`
  private static func gnu(_ name: Substring, _ fields: ArraySlice<Substring>) -> InputSection? {
    let fields = Array(fields)
    guard fields[0].hasPrefix("0x"), fields[1].hasPrefix("0x"),
      let address = UInt64(fields[0].dropFirst(2), radix: 16),
      let size = UInt64(fields[1].dropFirst(2), radix: 16), size > 0, address <= .max - size
    else { return nil }
    return InputSection(
      addresses: address..<address + size, file: fields[2...].joined(separator: " "),
      name: String(name))
  }
}

extension Substring {
  fileprivate func range(of pattern: String) -> Range<Index>? {
    var at = endIndex
    // The last one: a path may hold the pattern, a section name hardly does.
    while at > startIndex {
      at = index(before: at)
      if self[at...].hasPrefix(pattern) { return at..<index(at, offsetBy: pattern.count) }
    }
    return nil
  }
}
