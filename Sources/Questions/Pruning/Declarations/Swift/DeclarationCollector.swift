import FirstlightModel
import NeverCalled
import SwiftSyntax

/// Collects the declarations of a file by the lines of their names.
final class DeclarationCollector: SyntaxVisitor {
  private let lines: SourceText
  private var found: [Int: [SwiftDeclaration]] = [:]
  /// Lines with declarations that are never removed.
  private var others: Set<Int> = []

  init(_ lines: SourceText) {
    self.lines = lines
    super.init(viewMode: .sourceAccurate)
  }

  /// The declaration with this name on this line. Labels decide only between declarations with the
  /// same base name, since an index may use other labels.
  func find(_ target: DeclarationTarget) throws(KeepingReason) -> SwiftDeclaration {
    let base = Self.baseName(target.name)
    let candidates = (found[target.line] ?? []).filter { Self.baseName($0.name) == base }
    if candidates.count == 1 { return candidates[0] }
    let exact = candidates.filter { $0.name == target.name }
    if exact.count == 1 { return exact[0] }
    throw others.contains(target.line) ? .otherKind : .notFound
  }

  private static func baseName(_ name: String) -> Substring {
    // An operator may begin with any character but a parenthesis.
    name.prefix(upToAny: "(")
  }

  private func add(_ declaration: SwiftDeclaration, at token: TokenSyntax) {
    found[line(of: token), default: []].append(declaration)
  }

  private func line(of token: TokenSyntax) -> Int {
    lines.line(of: token.positionAfterSkippingLeadingTrivia.utf8Offset)
  }

  private static func text(_ token: TokenSyntax) -> String {
    let text = token.text
    return text.begins(with: "`") && text.ends(with: "`")
      ? String(text.dropFirst().dropLast()) : text
  }

  // MARK: Kinds

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.signature.parameterClause.parameters.map { Self.text($0.firstName) + ":" }
    add(
      SwiftDeclaration(node, name: "\(Self.text(node.name))(\(labels.joined()))"), at: node.name)
    // Nested declarations are removed with the outer one.
    return .skipChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.signature.parameterClause.parameters.map { Self.text($0.firstName) + ":" }
    add(SwiftDeclaration(node, name: "init(\(labels.joined()))"), at: node.initKeyword)
    return .skipChildren
  }

  /// A subscript's parameter has a label only if it has two names.
  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.parameterClause.parameters.map {
      ($0.secondName == nil ? "_" : Self.text($0.firstName)) + ":"
    }
    add(SwiftDeclaration(node, name: "subscript(\(labels.joined()))"), at: node.subscriptKeyword)
    return .skipChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    for binding in node.bindings {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { continue }
      add(
        SwiftDeclaration(node, name: Self.text(pattern.identifier), binding: binding),
        at: pattern.identifier)
    }
    return .skipChildren
  }

  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
    others.insert(line(of: node.name))
    return .skipChildren
  }

  override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    others.insert(line(of: node.deinitKeyword))
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
