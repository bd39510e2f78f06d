import SwiftSyntax

/// A declaration of a Swift file that has a name.
struct SwiftDeclaration {
  /// What goes with it: the whole declaration.
  let node: DeclSyntax
  /// Of a variable: itself, one of those that its declaration names.
  let binding: PatternBindingSyntax?
  /// As an index has it, with labels.
  let name: String

  /// Identifies it among the declarations of its node.
  var id: SyntaxIdentifier { binding?.id ?? node.id }

  init(_ node: some DeclSyntaxProtocol, name: String, binding: PatternBindingSyntax? = nil) {
    self.node = DeclSyntax(node)
    self.name = name
    self.binding = binding
  }

  var modifiers: DeclModifierListSyntax? {
    node.asProtocol((any WithModifiersSyntax).self)?.modifiers
  }

  func has(_ modifier: Keyword...) -> Bool {
    modifiers?.contains { item in
      modifier.contains { item.name.tokenKind == .keyword($0) }
    } ?? false
  }
}
