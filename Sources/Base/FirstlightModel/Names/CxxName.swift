/// A C++ function's name as a demangler prints it, without return type, template arguments and parameters.
///
///     char const (&ns::pass<char const (&) [8]>(char const (&) [8])) [8]
///     ns::pass
struct CxxName {
  /// `ns::pass`, `S::operator<<`, `S::operator bool`.
  private(set) var short = ""
  /// What the instances of a template share; nil if the function is no instance. Conversions to a parameter of a
  /// template share `S::operator`.
  private(set) var template: String?

  /// The name as it was given, without the type of a result before it.
  var withoutResult: String { text.text(first..<text.end) }

  private let text: NameScanner
  /// Where the name begins.
  private var first = 0
  private var base: [UInt8] = []
  private var hasArguments = false
  /// The size of `base` before the type of a conversion.
  private var conversion: Int?
  /// Whether it is a member of a type within a function.
  private var isLocal = false

  init(_ demangled: String) {
    text = NameScanner(demangled)
    guard let end = read() else {
      short = demangled
      return
    }
    let name = String(decoding: base, as: UTF8.self)
    // Only templates have their return type before the name; other words there belong to it.
    short = hasArguments || conversion != nil || isLocal ? name : text.text(0..<end)
    if hasArguments {
      template = conversion.map { String(decoding: base[..<$0], as: UTF8.self) } ?? name
    }
  }

  /// - Returns: the place of the parameters; nil if there are none.
  private mutating func read() -> Int? {
    var place = 0
    while place < text.end {
      switch text[place] {
      case UInt8(ascii: "("):
        if text.starts(with: Self.anonymous, at: place) {
          append(Self.anonymous.utf8CodeUnitCount, &place)
        } else if place > 0, text[place - 1] != UInt8(ascii: " ") {
          guard let next = nested(after: place) else { return base.isEmpty ? nil : place }
          (place, isLocal) = (next, true)
          base += Array("::".utf8)
        } else if let name = declarator(at: place) {
          start(at: name, &place)
        } else {
          place = text.endOfParentheses(at: place) ?? text.end
        }
      case UInt8(ascii: "<"):
        hasArguments = true
        guard let end = endOfArguments(at: place) else { return nil }
        place = end
      case UInt8(ascii: "{"):
        let end = (place..<text.end).first { text[$0] == UInt8(ascii: "}") } ?? text.end - 1
        append(end + 1 - place, &place)
      case UInt8(ascii: " "): start(at: place + 1, &place)
      case UInt8(ascii: "*"), UInt8(ascii: "&"): start(at: place + 1, &place)
      case UInt8(ascii: "o") where isOperator(at: place): readOperator(&place)
      default: append(1, &place)
      }
    }
    return nil
  }

  private static let anonymous: StaticString = "(anonymous namespace)"

  private mutating func append(_ count: Int, _ place: inout Int) {
    for _ in 0..<count {
      base.append(text[place])
      place += 1
    }
  }

  /// The name begins here: what was read is a return type.
  private mutating func start(at name: Int, _ place: inout Int) {
    (base, hasArguments, conversion, place) = ([], false, nil, name)
    while place < text.end, [UInt8(ascii: "*"), UInt8(ascii: "&")].contains(text[place]) {
      place += 1
    }
    first = place
  }

  /// The place of the name in the middle of a return type: `int (&f<3>()) [3]`, `int (S::*f<1>())(int)`.
  private func declarator(at parenthesis: Int) -> Int? {
    for place in parenthesis + 1..<text.end {
      switch text[place] {
      case UInt8(ascii: "*"), UInt8(ascii: "&"): return place
      case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: " "): return nil
      default: break
      }
    }
    return nil
  }

  /// The name of a local type's member follows the function's parameters: `f<int>(int)::Local::go(long)`.
  private func nested(after parenthesis: Int) -> Int? {
    guard var end = text.endOfParentheses(at: parenthesis) else { return nil }
    if text.starts(with: " const", at: end) { end += 6 }
    return text.starts(with: "::", at: end) ? end + 2 : nil
  }

  /// The place after the `>` of template arguments, which may contain operators in parentheses and arrows.
  private func endOfArguments(at place: Int) -> Int? {
    var (place, depth) = (place, 0)
    while place < text.end {
      switch text[place] {
      case UInt8(ascii: "("): place = (text.endOfParentheses(at: place) ?? text.end) - 1
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">") where text[place - 1] != UInt8(ascii: "-"): depth -= 1
      default: break
      }
      place += 1
      if depth == 0 { return place }
    }
    return nil
  }

  private func isOperator(at place: Int) -> Bool {
    guard text.starts(with: "operator", at: place) else { return false }
    let isStart = place == 0 || !NameScanner.isIdentifier(text[place - 1])
    return isStart && place + 8 < text.end && !NameScanner.isIdentifier(text[place + 8])
  }

  private mutating func readOperator(_ place: inout Int) {
    append(8, &place)
    if let symbol = Self.symbols.first(where: { text.starts(with: $0, at: place) }) {
      append(symbol.utf8CodeUnitCount, &place)
      // `operator< <int>(int)`
      if text.starts(with: " <", at: place) { place += 1 }
    } else if text[place] == UInt8(ascii: " ") {
      readConversion(&place)
    }
  }

  /// Longer ones first.
  private static let symbols: [StaticString] = [
    " new[]", " new", " delete[]", " delete", " co_await", "\"\" ",
    "<=>", "<<=", ">>=", "->*",
    "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=",
    "<", ">", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", ",",
  ]

  /// `operator bool`; in a template, the type is repeated: `operator int<int>`.
  private mutating func readConversion(_ place: inout Int) {
    conversion = base.count
    let start = place + 1
    append(1, &place)
    while place < text.end, text[place] != UInt8(ascii: "(") {
      guard text[place] == UInt8(ascii: "<") else {
        append(1, &place)
        continue
      }
      let repeated = place + 1
      let isRepeated =
        repeated + place - start < text.end
        && (start..<place).allSatisfy { text[$0] == text[repeated + $0 - start] }
      if isRepeated { hasArguments = true }
      place = endOfArguments(at: place) ?? text.end
    }
  }
}

extension CxxName {
  /// The beginning of a template instance's linker name, or of that of a lambda in one, for names that the C++ runtime
  /// cannot demangle: those of clang 18 and newer have parts that libstdc++ before 14 does not know (`Tn`, from
  /// `std::enable_if`). It may be that of the class of which the template is a member.
  ///
  /// - Returns: nil if the name is not that of an instance.
  static func template(ofMangled name: String) -> String? {
    var rest = Array(name.utf8)[...].dropFirst().drop { $0 == UInt8(ascii: "Z") }
    if rest.first == UInt8(ascii: "N") {
      rest = rest.dropFirst().drop { "KVrRO".utf8.contains($0) }
    }
    var parts: [String] = []
    while let first = rest.first, (48...57).contains(first) {
      let digits = rest.prefix { (48...57).contains($0) }
      guard let count = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
      rest = rest.dropFirst(digits.count)
      parts.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    return rest.first == UInt8(ascii: "I") && !parts.isEmpty ? parts.joined(separator: "::") : nil
  }
}
