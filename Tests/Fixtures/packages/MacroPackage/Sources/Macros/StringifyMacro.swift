import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

/// `#stringify(expression)`: the expression's value and its source text.
struct StringifyMacro: ExpressionMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> ExprSyntax {
    guard let argument = node.arguments.first?.expression else {
      return "(0, \"\")"
    }
    return "(\(argument), \(literal: argument.description))"
  }
}

@main
struct Plugin: CompilerPlugin {
  let providingMacros: [Macro.Type] = [StringifyMacro.self]
}
