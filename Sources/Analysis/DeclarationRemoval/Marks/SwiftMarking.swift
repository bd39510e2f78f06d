import SwiftSyntax

extension SwiftRemoval {
  /// Marks declarations of a Swift file as deprecated, except those that could not be removed either.
  ///
  /// - Parameter marks: by declaration.
  package func marking(of marks: [DeclarationTarget: RetirementMark]) -> SourceMarking {
    var result = SourceMarking()
    let declarations = DeclarationCollector(lines)
    declarations.walk(tree)
    var found: [(target: DeclarationTarget, declaration: SwiftDeclaration)] = []
    for target in marks.keys.sorted(by: { ($0.line, $0.name) < ($1.line, $1.name) }) {
      do throws(KeepingReason) {
        found.append((target, try declarations.find(target)))
      } catch { result.kept[target] = error }
    }
    let rules = RemovalRules(tree)
    let ids = Set(found.map(\.declaration.id))
    var seen: Set<SyntaxIdentifier> = []
    for (target, declaration) in found {
      if let reason = rules.reasonToKeep(declaration, removed: ids)
        ?? Self.reasonAgainstMark(declaration)
      {
        result.kept[target] = reason
        continue
      }
      result.marked.append(target)
      // Variables that are declared together share one mark.
      guard seen.insert(declaration.node.id).inserted, let mark = marks[target] else { continue }
      let place = declaration.node.positionAfterSkippingLeadingTrivia.utf8Offset
      let text = "@available(*, deprecated, message: \"\(mark.text)\")"
      result.insertions.append(lines.insertion(of: text, before: place))
    }
    return result
  }

  private static func reasonAgainstMark(_ declaration: SwiftDeclaration) -> KeepingReason? {
    let attributes = declaration.node.asProtocol((any WithAttributesSyntax).self)?.attributes
    let isDeprecated = attributes?.contains { element in
      let text = element.trimmedDescription
      return text.hasPrefix("@available")
        && ["deprecated", "unavailable", "obsoleted"].contains(where: text.contains)
    }
    return isDeprecated == true ? .deprecated : nil
  }

  /// The declarations with a mark.
  package var marked: [MarkedDeclaration] {
    let collector = MarkCollector(lines)
    collector.walk(tree)
    return collector.found
  }
}

private final class MarkCollector: SyntaxVisitor {
  private let lines: SourceLines
  private(set) var found: [MarkedDeclaration] = []

  init(_ lines: SourceLines) {
    self.lines = lines
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    guard node.attributeName.trimmedDescription == "available",
      let mark = RetirementMark(in: node.trimmedDescription),
      let declaration = node.parent?.parent
    else { return .visitChildren }
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = declaration.endPositionBeforeTrailingTrivia.utf8Offset
    found.append(
      MarkedDeclaration(
        mark: mark, lines: lines.line(of: start)...lines.line(of: max(start, end - 1)), names: [],
        range: lines.withSpace(start..<node.endPositionBeforeTrailingTrivia.utf8Offset)))
    return .skipChildren
  }
}
