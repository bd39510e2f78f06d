import FirstlightModel

/// The index symbol of a binary's function.
package enum FunctionJoin: Hashable, Sendable {
  /// The function itself, or the function around a closure, accessor or specialization.
  case symbol(ReferenceIndex.Symbol)
  /// A local function within this symbol. Indexes omit local functions: only this symbol can refer to it.
  case local(within: ReferenceIndex.Symbol)
  case unknown(Reason)

  package var isUnknown: Bool { if case .unknown = self { true } else { false } }

  /// The reason why no symbol was found.
  package enum Reason: String, CaseIterable, Sendable {
    /// The function is compiler-generated, with nothing in the source.
    case compilerGenerated = "compiler-generated"
    /// The binary has no symbol for the function, or debug information has no file.
    case noName = "no name"
    /// The index does not cover the function's file.
    case fileNotIndexed = "file not indexed"
    /// The index covers the file but has no such function: usually, a macro made the function.
    case notDefined = "not in the index"
    /// Several functions on the same line have this name.
    case ambiguous = "ambiguous"
    /// An initializer for the variables of one pattern, `let (a, b) = ...`, each of which has a row.
    case severalVariables = "initializes several variables"
    /// C++ templates can call the function by a name that the compiler resolves for each instance,
    /// and the index omits those.
    case templates = "C++ templates are not indexed"
    /// An initializer in an extension of a type with a short form: `T?(x: 1)`, `[3 of T](x: 1)`.
    case typeSugar = "calls through T? and [n of T] are not indexed"
    /// Machine code may refer to the function, but there is no relocation, and no name in the source.
    case noRelocation =
      "machine code without relocations may use it, build with -ffunction-sections"
  }
}

/// Finds the index symbols of functions.
package struct FunctionJoiner {
  private let index: ReferenceIndex

  package init(_ index: ReferenceIndex) {
    self.index = index
  }

  /// - Parameters:
  ///   - names: linker names of the function's pieces, its own first.
  ///   - shortName: the readable name without types; labels and parents are allowed.
  ///   - file: the declaring file according to debug information.
  package func join(names: [String], shortName: String, file: String?, line: Int) -> FunctionJoin {
    let file = file.map(SourcePath.normal)
    var best: FunctionJoin?
    for name in names {
      guard let found = byName(name, file: file) else { continue }
      if case .symbol = found { return found }
      if best == nil || !found.isUnknown { best = best.map { $0.isUnknown ? found : $0 } ?? found }
    }
    if let best { return best }
    guard let file else {
      return .unknown(names.allSatisfy(\.isEmpty) ? .noName : .notDefined)
    }
    guard let number = index.file(file) else { return .unknown(.fileNotIndexed) }
    let found = byPlace(shortName, file: number, line: line)
    if found == .unknown(.notDefined), names.contains(where: SwiftSymbolName.isInitialization) {
      return .unknown(.severalVariables)
    }
    return found
  }

  private func byName(_ name: String, file: String?) -> FunctionJoin? {
    if !name.isEmpty, let linked = index.symbol(usr: LinkerName.usr(name)) {
      return .symbol(linked)
    }
    if let swift = SwiftSymbolName(name) { return swift.find(in: index) }
    guard !name.isEmpty else { return nil }
    return ClangSymbolName(name).find(in: index, file: file).map { .symbol($0) }
  }

  /// The function with this name on a line.
  private func byPlace(_ shortName: String, file: Int, line: Int) -> FunctionJoin {
    let wanted = Self.baseName(shortName)
    var found: ReferenceIndex.Symbol?
    for symbol in index.symbols(file: file, line: line) {
      let kind = index.traits[symbol].kind
      guard kind.isFunction || kind.isVariable, Self.baseName(index.name(symbol)) == wanted,
        symbol != found
      else { continue }
      if found != nil { return .unknown(.ambiguous) }
      found = symbol
    }
    return found.map { .symbol($0) } ?? .unknown(.notDefined)
  }

  /// `price` for `Ware.price(of:)`, for `shop::Ware::price` and for `static price(of:) in sell()`.
  package static func baseName(_ name: String) -> Substring {
    var text = name[...]
    if let local = text.firstRange(ofUTF8: " in ") { text = text[..<local.lowerBound] }
    // Skips an operator's own parentheses: `operator()`.
    let from = text.firstRange(ofUTF8: "operator()")?.upperBound ?? text.startIndex
    if let parameters = text[from...].firstIndex(ofUTF8: "(") { text = text[..<parameters] }
    // Removes the arguments of a template instance.
    if text.ends(with: ">"), !text.containsUTF8("operator"), let name = text.cut(at: "<")?.before,
      name.utf8.last?.isWordPart == true
    {
      text = name
    }
    if !text.containsUTF8("operator") { text = text.cutLast(at: " ")?.behind ?? text }
    text = text.cutLast(at: "::")?.behind ?? text
    // Ignores the dots of `..<`.
    guard text.utf8.last?.isWordPart == true else { return text }
    return text.cutLast(at: ".")?.behind ?? text
  }
}
