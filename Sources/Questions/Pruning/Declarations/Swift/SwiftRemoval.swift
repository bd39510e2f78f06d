import NeverCalled
import SwiftParser
import SwiftSyntax

/// Finds the text to remove with declarations of a Swift file: comments and attributes, and types
/// and extensions that become empty.
package struct SwiftRemoval {
  private let source: [UInt8]
  private let tree: SourceFileSyntax
  private let lines: SourceText

  /// - Parameter source: the bytes of the file; ranges refer to them.
  package init(_ source: [UInt8]) {
    self.source = source
    tree = source.withUnsafeBufferPointer { Parser.parse(source: $0) }
    lines = SourceText(source, .swift)
  }

  /// - Parameters:
  ///   - targets: the declarations to remove.
  ///   - isUnreferenced: whether only removed code refers to a type with this name and line.
  package func removal(
    of targets: [DeclarationTarget],
    isUnreferenced: @escaping (DeclarationTarget) -> Bool = { _ in false }
  ) -> SourceRemoval {
    var result = SourceRemoval()
    let declarations = DeclarationCollector(lines)
    declarations.walk(tree)
    let rules = RemovalRules(tree)
    var found: [(target: DeclarationTarget, declaration: SwiftDeclaration)] = []
    for target in targets {
      do throws(KeepingReason) {
        found.append((target, try declarations.find(target)))
      } catch { result.kept[target] = error }
    }
    var removed = Set(found.map(\.declaration.id))
    for (target, declaration) in found {
      if let reason = rules.reasonToKeep(declaration, removed: removed) {
        result.kept[target] = reason
      } else {
        result.removed.append(target)
        result.starts[target] = AttachedComments.start(of: declaration.node)
      }
    }
    // Variables that are declared together are all removed, or none.
    removed = Set(found.filter { result.kept[$0.target] == nil }.map(\.declaration.node.id))
    let containers = EmptiedContainers(removed, lines, isUnreferenced)
    containers.walk(tree)
    result.emptied = containers.names
    let collector = RangeCollector(containers.removed, RemovedRanges(lines))
    collector.walk(tree)
    result.ranges = RemovedRanges(lines).tidied(collector.ranges)
    result.isFileEmptied = !removed.isEmpty && isEmptied(containers.removed)
    return result
  }

  private func isEmptied(_ removed: Set<SyntaxIdentifier>) -> Bool {
    tree.statements.allSatisfy {
      removed.contains($0.item.id) || $0.item.is(ImportDeclSyntax.self)
    }
  }
}

/// Collects the ranges of removed nodes.
private final class RangeCollector: SyntaxVisitor {
  private let removed: Set<SyntaxIdentifier>
  private let shape: RemovedRanges
  private(set) var ranges: [Range<Int>] = []

  init(_ removed: Set<SyntaxIdentifier>, _ shape: RemovedRanges) {
    self.removed = removed
    self.shape = shape
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: MemberBlockItemSyntax) -> SyntaxVisitorContinueKind {
    visit(node, node.decl.id)
  }

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    visit(node, node.item.id)
  }

  /// Removed as a whole, with its semicolon and nested code.
  private func visit(
    _ item: some SyntaxProtocol, _ id: SyntaxIdentifier
  ) -> SyntaxVisitorContinueKind {
    guard removed.contains(id) else { return .visitChildren }
    let start = item.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = item.endPositionBeforeTrailingTrivia.utf8Offset
    ranges.append(shape.range(of: start..<end, comments: AttachedComments.start(of: item)))
    return .skipChildren
  }
}
