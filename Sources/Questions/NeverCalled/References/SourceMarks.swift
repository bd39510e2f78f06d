import FirstlightModel

/// Facts about a source file's functions that no index has: attributes, and lines.
package struct SourceMarks: Sendable {
  let lines: [Substring]

  package init(_ text: String) { lines = text.lines }

  static func names(_ line: Substring) -> [Substring] {
    line.identifiers.filter { $0.utf8.first?.isASCIIDigit == false }
  }
}

extension SourceMarks {
  private static let swiftAttributes = [
    "@_cdecl", "@c", "@objc", "@_silgen_name", "@_expose", "@_dynamicReplacement", "@_implements",
    "@IBAction", "@IBSegueAction", "@main", "@UIApplicationMain", "@NSApplicationMain",
    "@derivative", "@transpose",
  ]
  /// Attributes by which the loader or a linker reaches a function without its name.
  private static let linkerAttributes = [
    "constructor", "destructor", "used", "retain", "section", "init_priority",
  ]

  /// Whether a declaration makes a name public.
  ///
  /// - Parameter line: the line of its name, from 1.
  func isPublic(line: Int) -> Bool {
    guard line > 0, line <= lines.count else { return false }
    for distance in 0..<line {
      let text = lines[line - 1 - distance].drop(any: " \t")
      guard distance == 0 || Self.isAbove(text) else { return false }
      guard !text.begins(with: "//") else { continue }
      let modifiers = text.split(at: " ").prefix { !Self.keywords.contains(String($0)) }
      if modifiers.contains(where: { $0 == "public" })
        || modifiers.contains(where: { $0 == "open" })
      {
        return true
      }
    }
    return false
  }

  private static let keywords: Set<TextBytes> = [
    "func", "var", "let", "class", "struct", "enum", "actor", "protocol", "extension",
  ]

  /// The way to reach a function by name, according to its declaration.
  ///
  /// - Parameter line: the line of its name, from 1.
  func reachedByName(line: Int) -> ReachedByName? {
    guard line > 0, line <= lines.count else { return nil }
    let words = lines[line - 1].prefix(upToAny: "{").split(at: " ")
    let isVariable =
      words.contains(where: { $0 == "var" }) && !words.contains(where: { $0 == "func" })
    var number = line
    while number > 0 {
      number = number == line ? line : attributeStart(endingAt: number)
      let text = indented(number)
      guard number == line || Self.isAbove(text) else { return nil }
      if let found = Self.reachedByName(text) { return found }
      if isVariable, let wrapper = Self.wrapper(text) { return .attribute(wrapper) }
      number -= 1
    }
    return nil
  }

  /// Maximum number of lines.
  private static let longestAttribute = 60

  private func indented(_ number: Int) -> Substring {
    lines[number - 1].drop(any: " \t")
  }

  /// The line with the opening parenthesis that a line closes: that of `@Option(` for `help: "x")`.
  private func attributeStart(endingAt last: Int) -> Int {
    guard lines[last - 1].trimmed.ends(with: ")"), !indented(last).begins(with: "//")
    else { return last }
    var open = 0
    for number in stride(from: last, to: max(0, last - Self.longestAttribute), by: -1) {
      for byte in lines[number - 1].utf8 {
        if byte == UInt8(ascii: ")") { open += 1 } else if byte == UInt8(ascii: "(") { open -= 1 }
      }
      if open <= 0 { return number }
    }
    return last
  }

  /// Whether a line above a declaration can belong to it.
  static func isAbove(_ text: Substring) -> Bool {
    if text.begins(with: "@") { return !declares(text) }
    return text.isEmpty == false
      && (text.begins(with: "//") || text.begins(with: "*") || text.begins(with: "/*")
        || (text.begins(with: "__attribute__") || text.begins(with: "[[")) && !endsDeclaration(text)
        || ["public", "package", "internal", "static", "extern", "nonisolated"].contains(text))
  }

  /// Whether a line with attributes is a declaration of its own.
  private static func endsDeclaration(_ text: Substring) -> Bool {
    text.containsUTF8("{") || text.containsUTF8(";")
  }

  private static func declares(_ text: Substring) -> Bool {
    let words = text.split(at: " ")
    return words.contains { ["func", "var", "let", "class", "struct", "enum"].contains($0) }
      || text.containsUTF8("{")
  }

  /// The property wrapper among a variable's attributes, such as `@Option(help: "...")`: the
  /// wrapper's type, and reflection on it, access the value without the property's name. The
  /// compiler's own attributes are lower-case.
  private static func wrapper(_ text: Substring) -> String? {
    guard text.begins(with: "@") else { return nil }
    let name = Substring(text.utf8.dropFirst().prefix { $0.isWordPart || $0 == UInt8(ascii: ".") })
    let base = name.split(at: ".").last ?? ""
    return base.unicodeScalars.first?.properties.isUppercase == true && !actors.contains(base)
      ? "@\(name)" : nil
  }

  private static let actors: Set<TextBytes> = ["MainActor", "Sendable"]

  private static func reachedByName(_ text: Substring) -> ReachedByName? {
    guard !text.begins(with: "//") else { return nil }
    for word in text.split(atBytes: { " ({".utf8.contains($0) })
    where word.begins(with: "@") {
      // Swift Testing finds these functions without a name.
      if word == "@Test" || word == "@Suite" { return .test }
      if word == "@_used" || word == "@used" { return .linker("used") }
      if swiftAttributes.contains(String(word)) { return .attribute(String(word)) }
    }
    guard text.containsUTF8("__attribute__") || text.containsUTF8("[[") else { return nil }
    let names = Self.names(text)
    return linkerAttributes.first {
      names.contains(Substring($0)) || names.contains(Substring("__\($0)__"))
    }.map { .linker($0) }
  }
}
