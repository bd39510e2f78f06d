import Synchronization

/// A function's name as people write it: without its module, its types and the marks of private
/// declarations. Made at the first question, and kept: most functions of a program are never shown.
///
///     Wares.Ware.(price in _79E7)(of: Swift.Int, Swift.Bool) -> Swift.Int
///     Ware.price(of:_:)
///
/// Several functions may have the same short name: overloads, and functions of different modules.
package final class ShortName: Sendable {
  private let entity: String
  private let language: FunctionIdentity.Language
  private let made = Mutex<String?>(nil)

  /// - Parameters:
  ///   - name: the linker's, which shows the language.
  ///   - entity: see `FunctionIdentity.entity`.
  package init(name: String, entity: String) {
    self.entity = entity
    language = FunctionIdentity.Language(of: name)
  }

  package var text: String {
    made.withLock { made in
      if let made { return made }
      let text = Self.of(entity, language)
      made = text
      return text
    }
  }

  /// - Parameter entity: see `FunctionIdentity.entity`.
  /// - Returns: the whole name if its form is unknown.
  static func of(_ entity: String, _ language: FunctionIdentity.Language) -> String {
    switch language {
    case .c, .rust: return entity
    case .cxx: return cxx(entity)
    case .swift: break
    }
    for beginning in ["default argument ", "default arguments "]
    where entity.begins(with: beginning) {
      guard let place = entity.firstRange(ofUTF8: " of ") else { break }
      let function = String(entity[place.upperBound...])
      return entity[..<place.upperBound] + (swift(function) ?? function)
    }
    return swift(entity) ?? entity
  }

  // MARK: Swift

  /// The limit of nested declarations. Names are untrusted, and each level is a recursive call.
  private static let deepest = 16

  private static func swift(_ name: String, depth: Int = 0) -> String? {
    guard depth < deepest else { return nil }
    var rest = NameScanner(name)
    let beginning = rest.skip("static ") ? "static " : ""
    guard var path = path(&rest) else { return nil }
    // An accessor may contain a local variable: `M.S.subscript.getter : (A) -> B`.
    if depth > 0, path.names.count > 1, accessors.contains(path.last), rest.starts(with: " : ") {
      path.names.removeLast()
    }
    if let parent = rest.find(" in ") {
      var outer = rest
      outer.move(to: parent + 4)
      guard let shortOuter = swift(outer.text, depth: depth + 1) else { return nil }
      rest.end = parent
      guard let ending = ending(path.last, &rest) else { return nil }
      return beginning + path.names.joined(separator: ".") + ending + " in " + shortOuter
    }
    guard let ending = ending(path.last, &rest) else { return nil }
    // The first one is the module.
    let names = path.names.count > 1 ? path.names.dropFirst() : path.names[...]
    return beginning + names.joined(separator: ".") + ending
  }

  private static let accessors: Set<TextBytes> = [
    "getter", "setter", "willset", "didset", "modify", "read", "init",
  ]

  private struct Path {
    var names: [String] = []
    var last: String { names.last ?? "" }
  }

  /// The names up to parameters or a type, separated by dots.
  private static func path(_ rest: inout NameScanner) -> Path? {
    var path = Path()
    while true {
      while rest.starts(with: "(extension in ") {
        guard let end = rest.endOfParentheses(at: rest.start) else { return nil }
        rest.move(to: end)
        guard rest.skip(":") else { return nil }
      }
      guard let name = component(&rest) else { return nil }
      path.names.append(name)
      if rest.starts(with: "<"), let end = rest.endOfBrackets(at: rest.start) {
        rest.move(to: end)
      }
      if !rest.skip(".") { return path }
    }
  }

  /// One name: `price`, `(price in _79E7)`, an operator, or a name in backquotes.
  private static func component(_ rest: inout NameScanner) -> String? {
    let start = rest.start
    if rest.starts(with: "(") {
      guard let end = rest.endOfParentheses(at: start) else { return nil }
      var inside = rest
      inside.move(to: start + 1)
      inside.end = end - 1
      guard let mark = inside.find(" in ") else { return nil }
      rest.move(to: end)
      return inside.text(start + 1..<mark)
    }
    _ = rest.skip("getter of ") || rest.skip("setter of ")
    let first = rest.start
    guard first < rest.end else { return nil }
    if rest[first] == UInt8(ascii: "`") {
      guard let close = (first + 1..<rest.end).first(where: { rest[$0] == UInt8(ascii: "`") })
      else { return nil }
      rest.move(to: close + 1)
    } else if NameScanner.isIdentifier(rest[first]) {
      rest.move(to: (first..<rest.end).first { !NameScanner.isIdentifier(rest[$0]) } ?? rest.end)
    } else {
      // An operator ends at the word for its fixity.
      guard let end = rest.find(" "), end > first else { return nil }
      rest.move(to: end)
    }
    let name = rest.text(first..<rest.start)
    if rest.skip(" #") { rest.skipDigits() }
    return name
  }

  /// The text after a name: the labels of its parameters, or nothing for a variable.
  private static func ending(_ name: String, _ rest: inout NameScanner) -> String? {
    _ = rest.skip(" infix") || rest.skip(" prefix") || rest.skip(" postfix")
    let isTyped = rest.skip(" : ")
    if isTyped, name != "subscript" { return "" }
    _ = rest.skip(" ")
    // Functions inside generic ones have several lists: `<A><A1>`.
    while rest.starts(with: "<"), let end = rest.endOfBrackets(at: rest.start) {
      rest.move(to: end)
    }
    if rest.start == rest.end { return "" }
    guard rest.starts(with: "("), let end = rest.endOfParentheses(at: rest.start) else {
      return nil
    }
    return "(" + labels(rest, rest.start + 1..<end - 1) + ")"
  }

  private static func labels(_ name: NameScanner, _ range: Range<Int>) -> String {
    var labels = ""
    var start = range.lowerBound
    while start < range.upperBound {
      while start < range.upperBound, name[start] == UInt8(ascii: " ") { start += 1 }
      var end = start
      while end < range.upperBound, NameScanner.isIdentifier(name[end]) { end += 1 }
      let isLabel =
        end > start && end + 1 < range.upperBound && name[end] == UInt8(ascii: ":")
        && name[end + 1] == UInt8(ascii: " ")
      labels += isLabel ? name.text(start..<end) + ":" : "_:"
      start = endOfParameter(name, start..<range.upperBound) + 1
    }
    return labels
  }

  /// The comma after a parameter, or the end.
  private static func endOfParameter(_ name: NameScanner, _ range: Range<Int>) -> Int {
    var depth = 0
    for place in range {
      switch name[place] {
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where name[place - 1] != UInt8(ascii: "-"): depth -= 1
      case UInt8(ascii: ",") where depth == 0: return place
      default: break
      }
    }
    return range.upperBound
  }

  // MARK: C++

  /// The C++ name without template arguments, return type and parameters, and without the hash that Rust's older
  /// mangling ends with: `::h0123456789abcdef`.
  private static func cxx(_ name: String) -> String {
    let end = name.utf8.suffix(19)
    if end.starts(with: "::h".utf8), end.dropFirst(3).allSatisfy(\.isASCIIHexDigit) {
      return String(name[..<end.startIndex])
    }
    guard name.begins(with: "_Z") else { return CxxName(name).short }
    return CxxName.template(ofMangled: name).map { $0 + "<...>" } ?? name
  }
}
