import SymbolOrdering

/// BOLT's `--function-order`: one symbol name a line and nothing else, for it takes every line for a
/// name: `llvm-bolt --reorder-functions=user --function-order=FILE BINARY -o BINARY.bolt`, where
/// BINARY was linked with `-Wl,--emit-relocs`.
enum BOLTFormat {
  static func text(_ order: SymbolOrder) -> String {
    order.names.map { $0 + "\n" }.joined()
  }
}
