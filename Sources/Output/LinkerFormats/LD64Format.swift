import SymbolOrdering

/// The `-order_file` of Apple's linkers: one symbol name a line; `#` starts a comment. Mach-O puts an
/// underscore before every name that the compiler gives a symbol, Swift's included.
enum LD64Format {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(order, uses: ["clang -Wl,-order_file,FILE"])
      + order.names.map { "_\($0)\n" }.joined()
  }
}
