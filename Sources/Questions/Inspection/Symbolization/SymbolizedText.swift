import DebugInfo

/// The answers of `firstlight symbolize`: text like llvm-symbolizer's, or one JSON object a line.
package struct SymbolizedText {
  package let image: DebugImage
  package let inlines: Bool
  package let mangled: Bool
  package let isJSON: Bool

  package init(image: DebugImage, inlines: Bool, mangled: Bool, isJSON: Bool) {
    self.image = image
    self.inlines = inlines
    self.mangled = mangled
    self.isJSON = isJSON
  }

  /// The answers for addresses, in order, as UTF-8. nil stands for an invalid word.
  package func text(for addresses: [UInt64?]) -> [UInt8] {
    let table = image.source.frames(at: addresses.compactMap { $0 }, inlines: inlines)
    let names = mangled ? table.names : Demangler.demangle(table.names)
    var text: [UInt8] = []
    text.reserveCapacity(addresses.count * 256)
    var next = 0
    for address in addresses {
      var entries: ArraySlice<FrameTable.Entry> = []
      if address != nil {
        entries = table.entries(at: next)
        next += 1
      }
      if isJSON {
        appendJSON(address, entries, table, names, to: &text)
      } else {
        appendText(entries, table, names, to: &text)
      }
    }
    return text
  }

  private func appendText(
    _ entries: ArraySlice<FrameTable.Entry>, _ table: FrameTable, _ names: [String],
    to text: inout [UInt8]
  ) {
    for entry in entries {
      text.append(contentsOf: (entry.name < 0 ? "??" : names[Int(entry.name)]).utf8)
      text.append(0x0a)
      text.append(contentsOf: (entry.file < 0 ? "??" : table.files[Int(entry.file)]).utf8)
      text.append(0x3a)
      Self.append(entry.line, to: &text)
      text.append(0x3a)
      Self.append(entry.column, to: &text)
      text.append(0x0a)
    }
    if entries.isEmpty { text.append(contentsOf: "??\n??:0:0\n".utf8) }
    text.append(0x0a)
  }

  private func appendJSON(
    _ address: UInt64?, _ entries: ArraySlice<FrameTable.Entry>, _ table: FrameTable,
    _ names: [String], to text: inout [UInt8]
  ) {
    text.append(contentsOf: "{\"address\":".utf8)
    text.append(contentsOf: (address.map { "\"0x\(String($0, radix: 16))\"" } ?? "null").utf8)
    text.append(contentsOf: ",\"frames\":[".utf8)
    var isFirst = true
    for entry in entries {
      if !isFirst { text.append(0x2c) }
      isFirst = false
      text.append(contentsOf: "{\"function\":".utf8)
      Self.append(entry.name < 0 ? nil : names[Int(entry.name)], to: &text)
      text.append(contentsOf: ",\"linkerName\":".utf8)
      Self.append(entry.name < 0 ? nil : table.names[Int(entry.name)], to: &text)
      text.append(contentsOf: ",\"file\":".utf8)
      Self.append(entry.file < 0 ? nil : table.files[Int(entry.file)], to: &text)
      text.append(contentsOf: ",\"line\":".utf8)
      Self.append(entry.line, to: &text)
      text.append(contentsOf: ",\"column\":".utf8)
      Self.append(entry.column, to: &text)
      text.append(0x7d)
    }
    text.append(contentsOf: "]}\n".utf8)
  }

  private static func append(_ number: UInt32, to text: inout [UInt8]) {
    if number >= 10 { append(number / 10, to: &text) }
    text.append(UInt8(truncatingIfNeeded: 0x30 + number % 10))
  }

  /// A JSON string; `null` for nil.
  private static func append(_ string: String?, to text: inout [UInt8]) {
    guard let string else { return text.append(contentsOf: "null".utf8) }
    text.append(0x22)
    for byte in string.utf8 {
      switch byte {
      case 0x22, 0x5c:
        text.append(0x5c)
        text.append(byte)
      case 0..<0x20:
        text.append(contentsOf: (byte < 16 ? "\\u000" : "\\u00").utf8)
        text.append(contentsOf: String(byte, radix: 16).utf8)
      default: text.append(byte)
      }
    }
    text.append(0x22)
  }
}
