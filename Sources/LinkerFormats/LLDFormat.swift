import SymbolOrdering

/// lld's `--symbol-ordering-file`: one symbol name a line; empty lines and those that start with
/// `#` are passed over (lld, Driver.cpp, `getSymbolOrderingFile`).
enum LLDFormat {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(
      order,
      use: "swift build -c release -Xswiftc -use-ld=lld -Xlinker --symbol-ordering-file=FILE, or "
        + "clang -fuse-ld=lld -Wl,--symbol-ordering-file=FILE; needs -ffunction-sections")
      + order.names.map { $0 + "\n" }.joined()
  }
}
