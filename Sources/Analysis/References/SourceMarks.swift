import FirstlightModel

/// Facts about a source file's functions that no index has: attributes, and conditionally compiled
/// branches.
package struct SourceMarks: Sendable {
  let lines: [Substring]
  /// Names within branches that the build may have excluded, each with its first two lines: one may
  /// be its declaration's.
  package let branchNames: [Substring: [Int]]
  /// Names passed to `dlsym` or to an attribute such as `alias`, each with its first line.
  package let lookedUp: [Substring: Int]

  /// - Parameters:
  ///   - isCompiled: whether the build compiled the file; otherwise the whole file counts as a branch.
  ///   - conditions: the known conditions of the build.
  package init(
    _ text: String, isCompiled: Bool = true, conditions: BuildConditions = BuildConditions()
  ) {
    lines = text.sourceLines
    var names: [Substring: [Int]] = [:]
    var lookedUp: [Substring: Int] = [:]
    var hidden = HiddenLines(conditions)
    // An include guard does not count as a branch.
    let guardLine = Self.includeGuard(lines)
    for (number, line) in lines.enumerated() {
      if let directive = Self.directive(line) {
        hidden.read(directive, line[directive.endIndex...], isGuard: number == guardLine)
        continue
      }
      if !isCompiled || hidden.isHidden {
        for name in Self.usedNames(line) where names[name, default: []].count < 2 {
          if names[name]?.last != number + 1 { names[name, default: []].append(number + 1) }
        }
      }
      if Self.lookups.contains(where: { line.containsUTF8($0) }) {
        for name in Self.literals(line) where lookedUp[name] == nil { lookedUp[name] = number + 1 }
      }
    }
    branchNames = names
    self.lookedUp = lookedUp
  }

  /// Constructs that take a function's name as a string: the loader, and compiler attributes for aliases.
  private static let lookups: [StaticString] = ["dlsym", "alias(", "alias (", "ifunc("]

  /// `if` of `  # if os(Linux)`.
  private static func directive(_ line: Substring) -> Substring? {
    let text = line.drop { $0 == " " || $0 == "\t" }
    guard text.first == "#" else { return nil }
    let word = text.dropFirst().drop { $0 == " " || $0 == "\t" }.prefix { $0.isLetter }
    return ["if", "ifdef", "ifndef", "else", "elseif", "elif", "endif"].contains(word)
      ? word : nil
  }

  /// The line of a header's `#ifndef NAME_H`, followed by `#define NAME_H`.
  private static func includeGuard(_ lines: [Substring]) -> Int? {
    guard let first = lines.firstIndex(where: { directive($0) != nil }),
      directive(lines[first]) == "ifndef", first + 1 < lines.count
    else { return nil }
    let name = lines[first].split(separator: " ").last ?? ""
    let next = lines[first + 1].split(separator: " ")
    return next.count >= 2 && next[0] == "#define" && next[1] == name ? first : nil
  }

  static func names(_ line: Substring) -> [Substring] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      .filter { !($0.first?.isNumber ?? true) }
  }

  /// Names except argument labels: `body` of `run(body: f)`.
  private static func usedNames(_ line: Substring) -> [Substring] {
    names(line).filter { !isLabel($0, in: line) }
  }

  /// Whether a name stands between the parenthesis or comma of a call and a colon. Dictionary keys
  /// do so, too, in brackets.
  private static func isLabel(_ name: Substring, in line: Substring) -> Bool {
    guard line[name.endIndex...].first == ":" else { return false }
    let before = line[..<name.startIndex]
    guard let last = before.last(where: { $0 != " " }), last == "(" || last == "," else {
      return false
    }
    var closed = 0
    for character in before.reversed() {
      switch character {
      case ")", "]", "}": closed += 1
      case "(", "[", "{":
        if closed == 0 { return character == "(" }
        closed -= 1
      default: break
      }
    }
    return false
  }

  /// String literals in double quotes.
  static func literals(_ line: Substring) -> [Substring] {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
  }
}
