/// Orders as linkers read them, read back.
package enum OrderFile {
  /// The names of an order in one of the formats lld, gold, ld and bolt; comments are passed over.
  package static func names(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      var name = line.drop { $0 == " " || $0 == "\t" }
      while name.last == " " || name.last == "\t" { name.removeLast() }
      if name.isEmpty || name.hasPrefix("#") || name.hasPrefix("/*") || name == "}"
        || name.hasSuffix("{")
      {
        return nil
      }
      if name.hasPrefix("*("), name.hasSuffix(")") { name = name.dropFirst(2).dropLast() }
      if name.hasPrefix("\""), name.hasSuffix("\"") { name = name.dropFirst().dropLast() }
      if name.hasPrefix(".text.") { name = name.dropFirst(6) }
      return name.isEmpty ? nil : String(name)
    }
  }

  /// Whether it names symbols, as lld wants it, not sections, as gold and GNU ld do.
  package static func namesSymbols(_ text: String) -> Bool {
    !text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix(".text") }
  }
}
