/// Known values of `#if` conditions in a build for Linux.
package struct BuildConditions: Sendable {
  /// Swift's name: `x86_64`, `arm64`; nil if unknown.
  package var architecture: String?
  /// Version of the Swift compiler: `[6, 3, 1]`; nil if unknown.
  package var compiler: [Int]?

  package init(architecture: String? = nil, compiler: [Int]? = nil) {
    self.architecture = architecture
    self.compiler = compiler
  }

  /// Whether a build compiles the code under a condition; nil if uncertain.
  ///
  /// - Parameter condition: the text after `#if` or `#elseif`.
  func value(of condition: Substring) -> Bool? {
    var parser = ConditionParser(condition, self)
    return parser.value()
  }

  /// `os(Linux)`, `compiler(>=6.2)`.
  fileprivate func value(of name: String, _ argument: String) -> Bool? {
    switch name {
    case "os": argument == "Linux"
    case "arch": architecture.map { $0 == argument }
    case "targetEnvironment": false
    case "canImport": Self.modules[argument]
    case "compiler": compiler.flatMap { Self.compare($0, argument) }
    case "swift": languageVersion(argument)
    default: nil
    }
  }

  /// Whether modules can be imported. Linux programs with another C library are treated like those
  /// with glibc.
  private static let modules = [
    "Glibc": true, "Foundation": true, "Dispatch": true, "Darwin": false, "WinSDK": false,
    "CRT": false, "ucrt": false, "Musl": false, "Android": false, "Bionic": false,
    "WASILibc": false, "ObjectiveC": false, "UIKit": false, "AppKit": false, "SwiftUI": false,
  ]

  /// A compiler of version 6 can also compile for language version 5, and then reports 5.10.
  private func languageVersion(_ argument: String) -> Bool? {
    guard let compiler, let bound = Self.bound(argument) else { return nil }
    let isBelow = compiler.lexicographicallyPrecedes(bound.version)
    let isBeyondDoubt = isBelow || !([5, 10] as [Int]).lexicographicallyPrecedes(bound.version)
    return isBeyondDoubt ? isBelow == bound.isUpper : nil
  }

  /// Whether a version satisfies `>=6.2` or `<6.2`; nil if the text has another form.
  private static func compare(_ version: [Int], _ argument: String) -> Bool? {
    guard let bound = bound(argument) else { return nil }
    return version.lexicographicallyPrecedes(bound.version) == bound.isUpper
  }

  private static func bound(_ argument: String) -> (isUpper: Bool, version: [Int])? {
    let isUpper = argument.hasPrefix("<")
    guard isUpper || argument.hasPrefix(">=") else { return nil }
    var version: [Int] = []
    for part in argument.dropFirst(isUpper ? 1 : 2).split(separator: ".") {
      guard let number = Int(part) else { return nil }
      version.append(number)
    }
    // 6.0 equals 6.
    while version.last == 0 { version.removeLast() }
    return version.isEmpty ? nil : (isUpper, version)
  }
}

/// Parses a condition: names with an argument, `!`, `&&`, `||` and parentheses.
private struct ConditionParser {
  private let conditions: BuildConditions
  private var tokens: ArraySlice<Substring>
  /// Number of open parentheses and negations, each of which is a nested call.
  private var depth = 0
  private static let deepest = 32

  init(_ text: Substring, _ conditions: BuildConditions) {
    self.conditions = conditions
    tokens = Self.tokens(text)[...]
  }

  /// Nil if the value is uncertain, or the text is no Swift condition.
  mutating func value() -> Bool? {
    let result = disjunction()
    return tokens.isEmpty ? result : nil
  }

  private mutating func disjunction() -> Bool? {
    var result = conjunction()
    while skip("||") {
      let next = conjunction()
      result = result == true || next == true ? true : result == nil ? nil : next
    }
    return result
  }

  private mutating func conjunction() -> Bool? {
    var result = operand()
    while skip("&&") {
      let next = operand()
      result = result == false || next == false ? false : result == nil ? nil : next
    }
    return result
  }

  private mutating func operand() -> Bool? {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest, let first = tokens.popFirst() else { return nil }
    switch first {
    case "!": return operand().map { !$0 }
    case "true": return true
    case "false": return false
    case "(":
      let result = disjunction()
      return skip(")") ? result : nil
    default:
      guard skip("(") else { return nil }
      let argument = tokens.prefix { $0 != ")" }.joined()
      tokens = tokens.drop { $0 != ")" }
      return skip(")") ? conditions.value(of: String(first), argument) : nil
    }
  }

  private mutating func skip(_ token: Substring) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }

  private static func tokens(_ text: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var rest = text
    while let first = rest.first, !rest.hasPrefix("//") {
      let length: Int
      if isWord(first) {
        length = rest.prefix(while: isWord).count
      } else if ["&&", "||", ">="].contains(where: rest.hasPrefix) {
        length = 2
      } else {
        length = 1
      }
      if !first.isWhitespace { tokens.append(rest.prefix(length)) }
      rest = rest.dropFirst(length)
    }
    return tokens
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "."
  }
}
