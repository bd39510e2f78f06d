extension ClangRemoval {
  /// The ways to write a mark: C before C23, whose compilers all know it; C++.
  private static let forms: [(open: StaticString, close: StaticString)] = [
    ("__attribute__((deprecated(\"", "\")))"), ("[[deprecated(\"", "\")]]"),
  ]

  /// Marks declarations of a C or C++ file as deprecated, except those that could not be removed
  /// either.
  ///
  /// - Parameters:
  ///   - marks: by declaration.
  ///   - functions: clang's functions with these names, in this file or in others.
  ///   - isStandard: whether to write C++'s attribute.
  package func marking(
    of marks: [DeclarationTarget: RetirementMark], among functions: [ClangFunction],
    isStandard: Bool = false
  ) -> SourceMarking {
    var result = SourceMarking()
    let form = Self.forms[isStandard ? 1 : 0]
    for (target, mark) in marks.sorted(by: { $0.key.line < $1.key.line }) {
      do throws(KeepingReason) {
        let place = try range(of: target, functions).lowerBound
        let text = "\(form.open)\(mark.text)\(form.close)"
        result.insertions.append(lines.insertion(of: text, before: place))
        result.marked.append(target)
      } catch { result.kept[target] = error }
    }
    return result
  }

  /// Whether a function names itself: gcc warns of a deprecated function in its own body.
  ///
  /// - Parameter functions: clang's functions with this name, in this file or in others.
  package func isRecursive(_ target: DeclarationTarget, among functions: [ClangFunction]) -> Bool {
    let name = target.name.prefix { $0 != "(" }
    return functions.contains { function in
      guard function.hasBody, function.range.upperBound <= bytes.count,
        lines.line(of: function.nameOffset) == target.line
      else { return false }
      let start = function.nameOffset + name.utf8.count
      let end = max(start, function.range.upperBound)
      let body = String(decoding: bytes[start..<end], as: UTF8.self)
      return body.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains(name)
    }
  }

  /// The declarations with a mark.
  package var marked: [MarkedDeclaration] {
    var found: [MarkedDeclaration] = []
    var place = 0
    while place < bytes.count {
      defer { place += 1 }
      guard let form = Self.forms.first(where: { lines.has($0.open, at: place) }),
        let end = Self.end(of: form.close, in: lines, from: place),
        let mark = RetirementMark(in: String(decoding: bytes[place..<end], as: UTF8.self))
      else { continue }
      let rest = bytes[end...]
      let stop = rest.firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: ";") }
      let head = String(decoding: rest[..<(stop ?? bytes.count)], as: UTF8.self)
      let last = stop.map { bytes[$0] == UInt8(ascii: "{") ? Self.closing(bytes, from: $0) : $0 }
      found.append(
        MarkedDeclaration(
          mark: mark, lines: lines.line(of: place)...lines.line(of: last ?? bytes.count - 1),
          names: head.matches(of: /([A-Za-z_]\w*)\s*\(/).map { String($0.1) },
          range: lines.withSpace(place..<end)))
    }
    return found
  }

  private static func end(of text: StaticString, in lines: SourceLines, from place: Int) -> Int? {
    let line = lines.end(of: place)
    return (place..<line).first { lines.has(text, at: $0) }.map { $0 + text.utf8CodeUnitCount }
  }

  /// The brace that closes another, roughly: braces in strings count.
  private static func closing(_ bytes: [UInt8], from place: Int) -> Int {
    var depth = 0
    for index in place..<bytes.count {
      if bytes[index] == UInt8(ascii: "{") { depth += 1 }
      if bytes[index] == UInt8(ascii: "}") { depth -= 1 }
      if depth == 0 { return index }
    }
    return bytes.count - 1
  }
}
