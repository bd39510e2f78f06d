import SymbolOrdering

/// A way to tell a linker an order.
public enum LinkerFormat: String, CaseIterable, Sendable {
  /// lld's `--symbol-ordering-file`: a symbol name a line.
  case lld
  /// gold's `--section-ordering-file`: a section name a line.
  case gold

  /// The order as the text of the file to hand to the linker, with a comment at its head where the
  /// format knows comments.
  public func text(_ order: SymbolOrder) -> String {
    switch self {
    case .lld: LLDFormat.text(order)
    case .gold: GoldFormat.text(order)
    }
  }
}
