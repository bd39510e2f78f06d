import FirstlightModel
import SwiftSyntax

/// A named declaration of a Swift file.
struct SwiftDeclaration {
  /// The whole declaration, which is removed.
  let node: DeclSyntax
  /// For a variable, its own binding among those of the declaration.
  let binding: PatternBindingSyntax?
  /// The index's name, with labels.
  let name: String

  /// Identifies the declaration, also among the bindings of one node.
  var id: SyntaxIdentifier { binding?.id ?? node.id }

  init(_ node: some DeclSyntaxProtocol, name: String, binding: PatternBindingSyntax? = nil) {
    self.node = DeclSyntax(node)
    self.name = name
    self.binding = binding
  }

  var modifiers: DeclModifierListSyntax? {
    node.asProtocol((any WithModifiersSyntax).self)?.modifiers
  }

  /// Whether an attribute may make other code reach the declaration without the index knowing. Those that begin with a
  /// capital are wrappers, builders, actors and macros, whose code the index has.
  var isExposed: Bool {
    node.asProtocol((any WithAttributesSyntax).self).map { Self.exposes($0.attributes) } ?? false
  }

  /// Also in branches of `#if`.
  private static func exposes(_ attributes: AttributeListSyntax) -> Bool {
    attributes.contains { element in
      switch element {
      case .attribute(let attribute):
        let name = attribute.attributeName.trimmedDescription
        return name.utf8.first.map { $0 == UInt8(ascii: "_") || $0 > UInt8(ascii: "Z") } == true
          && !harmless.contains(name)
          || name.begins(with: "IB") || exposing.contains(name)
      case .ifConfigDecl(let branches):
        return branches.clauses.contains { clause in
          if case .attributes(let attributes)? = clause.elements {
            exposes(attributes)
          } else {
            false
          }
        }
      }
    }
  }

  private static let exposing: Set<TextBytes> = ["UIApplicationMain", "NSApplicationMain"]

  /// Attributes about types, warnings and optimizations.
  private static let harmless: Set = [
    "available", "discardableResult", "inline", "inlinable", "usableFromInline", "frozen",
    "nonobjc",
    "preconcurrency", "concurrent", "nonisolated", "isolated", "backDeployed", "export",
    "specialize",
    "specialized", "warn_unqualified_access", "retroactive", "unknown", "unsafe", "safe",
    "lifetime", "abi",
    "_alwaysEmitIntoClient", "_disfavoredOverload", "_effects", "_implementationOnly",
    "_inheritActorContext",
    "_lifetime", "_optimize", "_semantics", "_specialize", "_spi", "_spi_available", "_transparent",
    "_unavailableFromAsync", "_backDeploy",
  ]

  func has(_ modifier: Keyword...) -> Bool {
    modifiers?.contains { item in
      modifier.contains { item.name.tokenKind == .keyword($0) }
    } ?? false
  }
}
