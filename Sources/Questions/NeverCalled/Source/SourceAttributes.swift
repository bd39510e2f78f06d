import FirstlightModel

/// What a declaration says of its use, by the line of its name, from 1.
extension SourceText {
  private static let swiftAttributes: Set<TextBytes> = [
    "@_cdecl", "@c", "@objc", "@_silgen_name", "@_expose", "@_dynamicReplacement", "@_implements",
    "@IBAction", "@IBSegueAction", "@main", "@UIApplicationMain", "@NSApplicationMain",
    "@derivative", "@transpose",
  ]
  /// Attributes by which the loader or a linker reaches a function without its name.
  private static let linkerAttributes = [
    "constructor", "destructor", "used", "retain", "section", "init_priority",
  ]
  private static let actors: Set<TextBytes> = ["MainActor", "Sendable"]

  /// The words of a declaration before its body.
  private func words(ofDeclarationAt line: Int) -> [Substring] {
    var head = head(ofDeclarationAt: line)
    if let last = head.popLast() { head.append(String(last.prefix(upToAny: "{"))) }
    return head.flatMap(\.words)
  }

  /// Whether a declaration makes a name public.
  func isPublic(line: Int) -> Bool {
    words(ofDeclarationAt: line).prefix { !Self.isKeyword($0) }.contains {
      $0 == "public" || $0 == "open"
    }
  }

  private static func isKeyword(_ word: Substring) -> Bool {
    ["func", "var", "let", "class", "struct", "enum", "actor", "protocol", "extension"]
      .contains(String(word))
  }

  /// The way to reach a function by name, according to its declaration.
  func reachedByName(line: Int) -> ReachedByName? {
    let words = words(ofDeclarationAt: line)
    let isVariable = words.contains { $0 == "var" } && !words.contains { $0 == "func" }
    for word in words where word.begins(with: "@") {
      let name = word.prefix(upToAny: "(")
      // Swift Testing finds these functions without a name.
      if name == "@Test" || name == "@Suite" { return .test }
      if name == "@_used" || name == "@used" { return .linker("used") }
      if Self.swiftAttributes.contains(name) { return .attribute(String(name)) }
      if isVariable, Self.isWrapper(name) { return .attribute(String(name)) }
    }
    let text = words.joined(separator: " ")
    guard text.containsUTF8("__attribute__") || text.containsUTF8("[[") else { return nil }
    let names = text.identifiers
    return Self.linkerAttributes.first { attribute in
      names.contains { $0 == attribute || $0 == "__\(attribute)__" }
    }.map { .linker($0) }
  }

  /// Whether an attribute of a variable is a property wrapper, such as `@Option(help: "...")`: the wrapper's type, and
  /// reflection on it, access the value without the property's name. The compiler's own attributes are lower-case.
  private static func isWrapper(_ attribute: Substring) -> Bool {
    let base = attribute.drop(any: "@").split(at: ".").last ?? ""
    return base.unicodeScalars.first?.properties.isUppercase == true && !actors.contains(base)
  }

  /// Whether an initializer or deinitializer is implicit: its recorded line declares none.
  func declares(_ word: String, line: Int) -> Bool {
    line > lineCount || code(ofLine: line).containsUTF8(word)
  }

  /// Whether a declaration has an attribute that makes compilers copy it into callers, or lets them do without its
  /// calls.
  ///
  /// - Parameters:
  ///   - line: the recorded line, which may be that of the body.
  ///   - isAccessor: whether the attributes can be those of the variable around it.
  func inlining(line: Int, isAccessor: Bool) -> NeverCalledRequest.Inlining? {
    var text = head(ofDeclarationAt: line).joined(separator: " ")
    if isAccessor, !Self.isVariable(text),
      let variable = (max(1, line - 15)..<max(2, line)).last(where: {
        Self.isVariable(code(ofLine: $0))
      })
    {
      text += " " + head(ofDeclarationAt: variable).joined(separator: " ")
    }
    func has(_ marks: String...) -> Bool { marks.contains { text.containsUTF8($0) } }
    if has("@inline(always)", "@_transparent", "always_inline") { return .mandatory }
    if has("constexpr", "consteval") { return .evaluated }
    if has("@inline(never)", "noinline") { return .never }
    return has("@inline(__always)") ? .whenOptimised : nil
  }

  private static func isVariable(_ code: String) -> Bool {
    code.identifiers.contains { $0 == "var" || $0 == "let" || $0 == "subscript" }
  }
}
