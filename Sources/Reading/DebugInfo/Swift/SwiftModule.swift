import FirstlightModel

extension Demangler {
  /// The Swift module that declares a function: for a member of an extension, the extending module,
  /// not the module of the extended type. Empty for names of other languages, and for code without
  /// a module (reabstraction thunks, outlined copies of tuples and the like).
  ///
  /// `demangled` saves demangling again if the mangled name alone is not sufficient.
  package static func swiftModule(of mangled: String, demangled: String? = nil) -> String {
    guard mangled.isSwiftSymbol else { return "" }
    var name = mangled
    return name.withUTF8 { utf8 in
      var parser = SwiftModuleParser(utf8)
      guard let module = parser.module() else { return "" }
      // The constraints between an extension's module and its end can contain any types, which only
      // the demangler parses: its text shows whether there is an extension.
      guard parser.extending != .nothing else { return module }
      return extendingModule(
        demangled ?? demangle(mangled), of: "\(module).\(parser.typeName)",
        by: parser.extending.module) ?? module
    }
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

/// The types of the standard library that mangled names abbreviate to two or three letters
/// (include/swift/Demangling/StandardTypesMangling.def of the Swift project).
enum SwiftStandardTypes {
  /// The type with the mangling `S` and a letter.
  static func name(_ letter: UInt8) -> String? { plain[letter] }

  /// The type with the mangling `Sc` and a letter.
  static func concurrencyName(_ letter: UInt8) -> String? { concurrency[letter] }

  private static let plain = table(
    """
    A AutoreleasingUnsafeMutablePointer a Array B BinaryFloatingPoint b Bool D Dictionary d Double
    E Encodable e Decodable F FloatingPoint f Float G RandomNumberGenerator H Hashable h Set
    I DefaultIndices i Int J Character j Numeric K BidirectionalCollection
    k RandomAccessCollection L Comparable l Collection M MutableCollection
    m RangeReplaceableCollection N ClosedRange n Range O ObjectIdentifier P UnsafePointer
    p UnsafeMutablePointer Q Equatable q Optional R UnsafeBufferPointer
    r UnsafeMutableBufferPointer S String s Substring T Sequence t IteratorProtocol
    U UnsignedInteger u UInt V UnsafeRawPointer v UnsafeMutableRawPointer W UnsafeRawBufferPointer
    w UnsafeMutableRawBufferPointer X RangeExpression x Strideable Y RawRepresentable
    y StringProtocol Z SignedInteger z BinaryInteger
    """)

  private static let concurrency = table(
    """
    A Actor C CheckedContinuation c UnsafeContinuation E CancellationError
    e UnownedSerialExecutor F Executor f SerialExecutor G TaskGroup g ThrowingTaskGroup
    h TaskExecutor I AsyncIteratorProtocol i AsyncSequence J UnownedJob M MainActor
    P TaskPriority S AsyncStream s AsyncThrowingStream T Task t UnsafeCurrentTask
    """)

  private static func table(_ text: String) -> [UInt8: String] {
    let words = text.words
    var table: [UInt8: String] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      table[words[index].utf8.first!] = String(words[index + 1])
    }
    return table
  }
}
