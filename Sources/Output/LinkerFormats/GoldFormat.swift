import SymbolOrdering

/// gold's `--section-ordering-file`: one section name a line, `*`, `?` and `[` being wildcards; lines
/// that start with `#` are passed over. A compiler that gives each function a section of its own
/// names it `.text.` and the function's symbol, or `.text.hot.`, `.text.unlikely.` and so on.
enum GoldFormat {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(
      order, uses: ["clang -ffunction-sections -fuse-ld=gold -Wl,--section-ordering-file=FILE"])
      + order.names.map { ".text.\($0)\n" }.joined()
  }
}
