import FirstlightModel

/// Reads orders in the formats of linkers.
package enum OrderFile {
  /// The names of an order in the formats lld, gold, ld and bolt. Skips comments.
  package static func names(_ text: String) -> [String] {
    text.lines.compactMap { line in
      var name = line.trimmed
      if name.isEmpty || name.begins(with: "#") || name.begins(with: "/*") || name == "}"
        || name.ends(with: "{")
      {
        return nil
      }
      name = name.removing(prefix: "*(")?.removing(suffix: ")") ?? name
      name = name.removing(prefix: "\"")?.removing(suffix: "\"") ?? name
      name = name.removing(prefix: ".text.") ?? name
      return name.isEmpty ? nil : String(name)
    }
  }

  /// Whether the order names symbols, as lld needs, and not sections, as gold and GNU ld need.
  package static func namesSymbols(_ text: String) -> Bool {
    !text.lines.contains { $0.begins(with: ".text") }
  }
}
