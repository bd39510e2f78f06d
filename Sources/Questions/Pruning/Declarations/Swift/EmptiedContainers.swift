import NeverCalled
import SwiftSyntax

/// Finds types and extensions that become empty.
///
/// An extension that adds a conformance stays, as does a type that is public or that remaining code
/// refers to.
final class EmptiedContainers: SyntaxVisitor {
  private(set) var removed: Set<SyntaxIdentifier>
  private(set) var names: [String] = []
  private let lines: SourceText
  private let isUnreferenced: (DeclarationTarget) -> Bool

  init(
    _ removed: Set<SyntaxIdentifier>, _ lines: SourceText,
    _ isUnreferenced: @escaping (DeclarationTarget) -> Bool
  ) {
    self.removed = removed
    self.lines = lines
    self.isUnreferenced = isUnreferenced
    super.init(viewMode: .sourceAccurate)
  }

  private func isEmptied(_ members: MemberBlockItemListSyntax) -> Bool {
    !members.isEmpty && members.allSatisfy { removed.contains($0.decl.id) }
  }

  override func visitPost(_ node: ExtensionDeclSyntax) {
    guard node.inheritanceClause == nil, node.attributes.isEmpty,
      isEmptied(node.memberBlock.members), !Self.isConditional(Syntax(node))
    else { return }
    removed.insert(node.id)
    names.append("extension \(node.extendedType.trimmedDescription)")
  }

  override func visitPost(_ node: StructDeclSyntax) { visit(node, node.name) }
  override func visitPost(_ node: EnumDeclSyntax) { visit(node, node.name) }
  override func visitPost(_ node: ClassDeclSyntax) { visit(node, node.name) }
  override func visitPost(_ node: ActorDeclSyntax) { visit(node, node.name) }

  private func visit(
    _ node: some DeclGroupSyntax & WithAttributesSyntax & WithModifiersSyntax, _ name: TokenSyntax
  ) {
    let line = lines.line(of: name.positionAfterSkippingLeadingTrivia.utf8Offset)
    let isOpenToOthers = node.modifiers.contains {
      [.keyword(.public), .keyword(.open)].contains($0.name.tokenKind)
    }
    guard isEmptied(node.memberBlock.members), node.attributes.isEmpty, !isOpenToOthers,
      !Self.isConditional(Syntax(node)),
      isUnreferenced(DeclarationTarget(name: name.text, line: line))
    else { return }
    removed.insert(node.id)
    names.append(name.text)
  }

  private static func isConditional(_ node: Syntax) -> Bool {
    var parent = node.parent
    while let node = parent {
      if node.is(IfConfigDeclSyntax.self) { return true }
      parent = node.parent
    }
    return false
  }
}
