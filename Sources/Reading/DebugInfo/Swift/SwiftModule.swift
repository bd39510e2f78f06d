import FirstlightModel

extension Demangler {
  /// The Swift module that declares a function: for a member of an extension, the extending module,
  /// not the module of the extended type. Empty for names of other languages, and for code without
  /// a module (reabstraction thunks, outlined copies of tuples and the like).
  ///
  /// `demangled` saves demangling again if the mangled name alone is not sufficient.
  package static func swiftModule(of mangled: String, demangled: String? = nil) -> String {
    guard let context = SwiftSymbol(mangled)?.context else { return "" }
    // The constraints between an extension's module and its end can contain any types, which only
    // the demangler parses: its text shows whether there is an extension.
    guard context.extending != .nothing else { return context.module }
    return extendingModule(
      demangled ?? demangle(mangled), of: "\(context.module).\(context.type)",
      by: context.extending.module) ?? context.module
  }

  private static let opening = Array("(extension in ".utf8)

  /// The module that extends `type` in a demangled name. If it extends a type that another module added to
  /// `type`, both stand there: `(extension in M):(extension in Foundation):Swift.String.Encoding`.
  ///
  /// - Parameter known: the module nearest to the type, if the mangled name spells it.
  private static func extendingModule(_ text: String, of type: String, by known: String?) -> String?
  {
    let text = Array(text.utf8)
    let type = Array("):\(type)".utf8)
    var start = 0
    while let first = place(of: opening, in: text, from: start) {
      var next = first
      while text[next...].starts(with: opening),
        let end = text[next...].firstIndex(of: UInt8(ascii: ")"))
      {
        if text[end...].starts(with: type),
          known.map({ text[(next + opening.count)..<end].elementsEqual($0.utf8) }) ?? true
        {
          let name = text[(first + opening.count)...].prefix { $0 != UInt8(ascii: ")") }
          return String(decoding: name, as: UTF8.self)
        }
        next = min(end + 2, text.count)
      }
      start = first + opening.count
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
