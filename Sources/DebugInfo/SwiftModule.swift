extension Demangler {
  /// The Swift module a function is declared in: for a member of an extension the module that
  /// extends, not the one that is extended. Empty for names that aren't Swift's, and for code that
  /// belongs to no module (reabstraction thunks, outlined copies of tuples and the like).
  ///
  /// `demangled` saves demangling again in the cases the mangled name alone doesn't settle.
  public static func swiftModule(of mangled: String, demangled: String? = nil) -> String {
    guard isSwift(mangled) else { return "" }
    var name = mangled
    return name.withUTF8 { utf8 in
      var parser = SwiftModuleParser(utf8)
      guard let module = parser.module() else { return "" }
      // An extension's module comes after the extended type and ends with the operator E, but its
      // constraints can be any types; the demangler knows those, so only ask whether it saw one.
      guard parser.mayBeExtension else { return module }
      let text = demangled ?? demangle(mangled)
      return extendingModule(text, extended: "\(module).\(parser.typeName)") ?? module
    }
  }

  /// The module in `(extension in MODULE):` right before the first mention of `extended`.
  private static func extendingModule(_ text: String, extended: String) -> String? {
    let text = Array(text.utf8)
    let needle = Array(extended.utf8)
    let opening = Array("(extension in ".utf8)
    guard let place = firstName(needle, in: text), place >= 2, text[place - 1] == 0x3a,
      text[place - 2] == 0x29
    else { return nil }
    var start = place - 2
    while start > 0, text[start - 1] != 0x20, text[start - 1] != 0x28 { start -= 1 }
    guard start >= opening.count, Array(text[(start - opening.count)..<start]) == opening else {
      return nil
    }
    return String(decoding: text[start..<(place - 2)], as: UTF8.self)
  }

  /// Where `needle` first stands in `text` as a name of its own, outside `<...>`.
  private static func firstName(_ needle: [UInt8], in text: [UInt8]) -> Int? {
    guard let first = needle.first, needle.count <= text.count else { return nil }
    func isNamePart(_ byte: UInt8) -> Bool {
      byte == 0x5f || byte == 0x2e || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
        || (0x61...0x7a).contains(byte) || byte >= 0x80
    }
    var depth = 0
    for place in 0...(text.count - needle.count) {
      if text[place] == 0x3c { depth += 1 }
      if text[place] == 0x3e, place > 0, text[place - 1] != 0x2d { depth -= 1 }
      guard depth <= 0, text[place] == first, text[place...].starts(with: needle) else { continue }
      if place > 0, isNamePart(text[place - 1]) { continue }
      let end = place + needle.count
      if end < text.count, isNamePart(text[end]), text[end] != 0x2e, needle.last != 0x2e {
        continue
      }
      return place
    }
    return nil
  }
}
