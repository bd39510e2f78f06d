import SymbolOrdering

/// lld's `--symbol-ordering-file`: one symbol name a line; empty lines and those that start with
/// `#` are passed over (lld, Driver.cpp, `getSymbolOrderingFile`).
enum LLDFormat {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(order, uses: LinkRecipe.commands(file: "FILE"))
      + order.names.map { $0 + "\n" }.joined()
  }
}
