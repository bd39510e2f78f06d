import NeverCalled
import SwiftSyntax

/// Finds declarations that must stay for another reason than references.
struct RemovalRules {
  /// Whether top-level variables run as code.
  private let isScript: Bool

  init(_ tree: SourceFileSyntax) {
    isScript = tree.statements.contains {
      !$0.item.is(DeclSyntax.self)
    }
  }

  /// - Parameter removed: all nodes to be removed.
  func reasonToKeep(
    _ declaration: SwiftDeclaration, removed: Set<SyntaxIdentifier>
  ) -> KeepingReason? {
    var owner: Syntax?
    var parent = declaration.node.parent
    while let node = parent {
      if node.is(IfConfigDeclSyntax.self) { return .conditional }
      if node.is(ProtocolDeclSyntax.self) { return .requirement }
      if owner == nil, node.isProtocol((any DeclGroupSyntax).self) { owner = node }
      parent = node.parent
    }
    if declaration.has(.override) { return .override }
    if declaration.isExposed { return .linkerAttribute }
    if let variable = declaration.node.as(VariableDeclSyntax.self) {
      return reasonToKeep(variable, of: owner, declaration, removed)
    }
    guard declaration.node.is(InitializerDeclSyntax.self) else { return nil }
    if declaration.has(.required) { return .requiredInitializer }
    return isNeeded(by: owner, removed) ? .onlyInitializer : nil
  }

  // MARK: Variables

  private func reasonToKeep(
    _ variable: VariableDeclSyntax, of owner: Syntax?, _ declaration: SwiftDeclaration,
    _ removed: Set<SyntaxIdentifier>
  ) -> KeepingReason? {
    guard variable.bindings.allSatisfy({ removed.contains($0.id) }) else {
      return .sharedDeclaration
    }
    guard let binding = declaration.binding, Self.isStored(binding) else { return nil }
    if owner == nil { return isScript ? .scriptVariable : nil }
    // Static variables are initialized at first use, like global ones.
    return declaration.has(.static, .class) ? nil : .storedProperty
  }

  private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
    guard case .accessors(let accessors)? = binding.accessorBlock?.accessors else {
      return binding.accessorBlock == nil
    }
    return accessors.allSatisfy {
      $0.accessorSpecifier.tokenKind == .keyword(.willSet)
        || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
    }
  }

  // MARK: Initializers

  /// Whether a class would keep stored properties that nothing initializes.
  private func isNeeded(by owner: Syntax?, _ removed: Set<SyntaxIdentifier>) -> Bool {
    guard let owner, owner.is(ClassDeclSyntax.self) || owner.is(ActorDeclSyntax.self),
      let members = owner.asProtocol((any DeclGroupSyntax).self)?.memberBlock.members
    else { return false }
    let isLeft = members.contains { member in
      guard let other = member.decl.as(InitializerDeclSyntax.self) else { return false }
      return !removed.contains(other.id)
        && !other.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) }
    }
    return !isLeft && members.contains { Self.needsValue($0.decl) }
  }

  private static func needsValue(_ member: DeclSyntax) -> Bool {
    guard let variable = member.as(VariableDeclSyntax.self),
      !variable.modifiers.contains(where: {
        [.keyword(.static), .keyword(.class), .keyword(.lazy)].contains($0.name.tokenKind)
      })
    else { return false }
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    return variable.bindings.contains { binding in
      guard isStored(binding), binding.initializer == nil else { return false }
      return isConstant || !(binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) ?? false)
    }
  }
}
