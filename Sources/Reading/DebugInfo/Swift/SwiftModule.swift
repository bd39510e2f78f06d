extension Demangler {
  /// The Swift module a function is declared in: for a member of an extension the module that
  /// extends, not the one that is extended. Empty for names that aren't Swift's, and for code that
  /// belongs to no module (reabstraction thunks, outlined copies of tuples and the like).
  ///
  /// `demangled` saves demangling again in the cases the mangled name alone doesn't settle.
  package static func swiftModule(of mangled: String, demangled: String? = nil) -> String {
    guard isSwift(mangled) else { return "" }
    var name = mangled
    return name.withUTF8 { utf8 in
      var parser = SwiftModuleParser(utf8)
      guard let module = parser.module() else { return "" }
      // The constraints between an extension's module and its end can be any types. The demangler
      // understands those: ask whether it saw an extension where one could be.
      let extended = "\(module).\(parser.typeName)"
      switch parser.extending {
      case .nothing: return module
      case .module(let candidate):
        let text = demangled ?? demangle(mangled)
        return isExtension(text, by: candidate, of: extended) ? candidate : module
      case .abbreviated:
        return extendingModule(demangled ?? demangle(mangled), of: extended) ?? module
      }
    }
  }

  private static let opening = Array("(extension in ".utf8)

  private static func isExtension(_ text: String, by module: String, of type: String) -> Bool {
    place(of: opening + Array("\(module)):\(type)".utf8), in: Array(text.utf8), from: 0) != nil
  }

  /// The first module that extends `type` in a demangled name.
  private static func extendingModule(_ text: String, of type: String) -> String? {
    let text = Array(text.utf8)
    let type = Array("):\(type)".utf8)
    var start = 0
    while let place = place(of: opening, in: text, from: start) {
      start = place + opening.count
      guard let end = text[start...].firstIndex(of: 0x29) else { return nil }
      if text[end...].starts(with: type) {
        return String(decoding: text[start..<end], as: UTF8.self)
      }
    }
    return nil
  }

  private static func place(of needle: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    var place = start
    while place + needle.count <= text.count {
      if text[place] == needle[0], text[place...].starts(with: needle) { return place }
      place += 1
    }
    return nil
  }
}
