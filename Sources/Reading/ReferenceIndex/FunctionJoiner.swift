import FirstlightModel

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
    if found == .unknown(.notDefined),
      names.contains(where: { SwiftSymbol($0)?.isOnceInitializer == true })
    {
      return .unknown(.severalVariables)
    }
    return found
  }

  private func byName(_ name: String, file: String?) -> FunctionJoin? {
    if !name.isEmpty, let linked = index.symbol(usr: LinkerName.usr(name)) {
      return .symbol(linked)
    }
    if let swift = SwiftUSR(name) { return swift.find(in: index) }
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
