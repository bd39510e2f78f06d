import FirstlightModel
import NeverCalled

/// Finds the text to remove with functions of a C file: comments, attributes, a prototype's semicolon.
struct ClangRemoval {
  private let lines: SourceText
  private let branches: SourceBranches

  /// - Parameter source: the bytes of the file; ranges refer to them.
  init(_ source: [UInt8]) {
    lines = SourceText(source, .c)
    branches = SourceBranches(lines)
  }

  private var bytes: [UInt8] { lines.bytes }

  /// - Parameters:
  ///   - targets: the declarations to remove.
  ///   - functions: clang's functions with these names, in this file or in others.
  func removal(
    of targets: [DeclarationTarget], among functions: [ClangFunction]
  ) -> SourceRemoval {
    var result = SourceRemoval()
    let shape = RemovedRanges(lines)
    var ranges: [Range<Int>] = []
    for target in targets {
      do throws(KeepingReason) {
        let range = try range(of: target, functions)
        let start = comments(above: range.lowerBound)
        ranges.append(shape.range(of: range, comments: start))
        result.removed.append(target)
        result.starts[target] = start
      } catch { result.kept[target] = error }
    }
    result.ranges = shape.tidied(ranges)
    return result
  }

  private func range(
    of target: DeclarationTarget, _ functions: [ClangFunction]
  ) throws(KeepingReason) -> Range<Int> {
    let name = Array(target.name.prefix(upToAny: "(").utf8)
    let found = functions.filter { function in
      Array(function.name.utf8) == name
        && bytes[min(function.nameOffset, bytes.count)...].starts(
          with: name)
        && lines.line(of: function.nameOffset) == target.line
    }
    guard let function = found.first(where: { $0.body != nil }) ?? found.first else {
      // If the text has no such name, only a macro can have written it.
      let isWritten = functions.contains { function in
        Array(function.name.utf8) == name
          && (function.isInMacro
            || function.nameOffset < bytes.count
              && lines.line(of: function.nameOffset) == target.line)
      }
      throw isWritten ? .macro : .notFound
    }
    guard !function.isInMacro else { throw .macro }
    guard function.attributes.isDisjoint(with: Self.unusedMarks) else { throw .markedUnused }
    guard function.attributes.isDisjoint(with: Self.linkerAttributes) else {
      throw .linkerAttribute
    }
    guard function.range.upperBound <= bytes.count else { throw .notFound }
    var range = try start(function.range.lowerBound)..<function.range.upperBound
    guard !hasComma(range.lowerBound..<function.nameOffset) else {
      throw .sharedDeclaration
    }
    if function.body == nil {
      range = range.lowerBound..<(try semicolon(after: range.upperBound))
    }
    // Other declarations use a type that this one defines.
    let head = bytes[range.lowerBound..<(function.body ?? range.upperBound)]
    guard !head.contains(UInt8(ascii: "{")) else { throw .typeDefinition }
    guard !branches.isConditional(range) else { throw .conditional }
    // Another configuration may see several functions in these lines, or other code use a macro.
    guard !branches.hasDirective(in: range) else { throw .directive }
    return range
  }

  private static let unusedMarks: Set<TextBytes> = ["UnusedAttr"]
  /// Attributes by which a loader, a linker or other code reaches a function without its name.
  private static let linkerAttributes: Set<TextBytes> = [
    "AliasAttr", "ConstructorAttr", "DestructorAttr", "IFuncAttr", "RetainAttr", "SectionAttr",
    "UsedAttr", "WeakAttr",
  ]

  /// Whether another name is declared earlier in the same declaration.
  private func hasComma(_ range: Range<Int>) -> Bool {
    var depth = 0
    for byte in bytes[range] {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if byte == UInt8(ascii: ","), depth == 0 { return true }
    }
    return false
  }

  /// The start of a declaration with the words right before it, which are macros that are empty here. Whatever else
  /// stands between the end of other code and the declaration may belong to it.
  private func start(_ place: Int) throws(KeepingReason) -> Int {
    var start = place
    let line = lines.start(of: place)
    while let last = lines.lastVisible(before: start), last >= line, bytes[last].isWordPart {
      start = last
      while start > line, bytes[start - 1].isWordPart { start -= 1 }
    }
    if let last = lines.lastCode(before: start), !";{}".utf8.contains(bytes[last]) {
      throw .unclearStart
    }
    return start
  }

  /// The end of a prototype's semicolon, which may follow attributes, or macros for them.
  private func semicolon(after place: Int) throws(KeepingReason) -> Int {
    var place = place
    while let next = lines.firstVisible(from: place) {
      if bytes[next] == UInt8(ascii: ";") { return next + 1 }
      if bytes[next] == UInt8(ascii: "("), let end = closing(from: next) {
        place = end
      } else if lines.has("__", at: next) || (65...90).contains(bytes[next]) {
        // Words in other letters may begin another declaration, behind a macro that ends this one.
        place = bytes[next...].firstIndex { !$0.isWordPart } ?? bytes.count
      } else {
        break
      }
    }
    throw .sharedDeclaration
  }

  /// The end of the next pair of parentheses.
  private func closing(from place: Int) -> Int? {
    var depth = 0
    for index in place..<bytes.count {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      guard bytes[index] == UInt8(ascii: ")") else { continue }
      depth -= 1
      if depth == 0 { return index + 1 }
    }
    return nil
  }

  // MARK: Comments

  /// Start of the comments directly above a declaration; those at the head of a file stay.
  private func comments(above place: Int) -> Int {
    var start = place
    guard lines.isBlank(lines.start(of: place)..<place) else { return place }
    while let comment = comment(before: lines.start(of: start)) { start = comment }
    let isHeader = start == 0 && start != place && !lines.has("/**", at: 0)
    return isHeader ? place : start
  }

  /// Start of a comment that ends on the previous line and shares its lines with no code.
  private func comment(before lineStart: Int) -> Int? {
    guard lineStart > 0, let last = lines.lastVisible(before: lineStart),
      last >= lines.start(of: lineStart - 1), let comment = lines.comment(at: last),
      lines.isBlank(lines.start(of: comment.lowerBound)..<comment.lowerBound)
    else { return nil }
    return comment.lowerBound
  }
}
