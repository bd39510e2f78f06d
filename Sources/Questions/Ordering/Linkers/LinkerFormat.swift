/// A format in which a linker takes an order.
package enum LinkerFormat: String, CaseIterable, Sendable {
  /// lld's `--symbol-ordering-file`: a symbol name a line.
  case lld
  /// gold's `--section-ordering-file`: a section name a line.
  case gold
  /// GNU ld's `--section-ordering-file`, from 2.43 on: a piece of a linker script.
  case ld
  /// Apple's ld64 and ld-prime, and lld for Mach-O: `-order_file`.
  case ld64
  /// BOLT's `--function-order`: a symbol name a line.
  case bolt
  /// A text profile with the traces themselves, for `llvm-profdata` and lld's `--irpgo-profile`.
  case proftext

  /// The order as the text of a file for the linker. Begins with a comment if the format has comments.
  package func text(_ order: SymbolOrder) -> String {
    switch self {
    case .lld: LLDFormat.text(order)
    case .gold: GoldFormat.text(order)
    case .ld: GNULDFormat.text(order)
    case .ld64: LD64Format.text(order)
    case .bolt: BOLTFormat.text(order)
    case .proftext: ProftextFormat.text(order)
    }
  }
}

/// lld's `--symbol-ordering-file`: one symbol name a line. lld skips empty lines and lines that start with `#`
/// (Driver.cpp, `getSymbolOrderingFile`).
enum LLDFormat {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(order, uses: LinkRecipe.commands(file: "FILE"))
      + order.names.map { $0 + "\n" }.joined()
  }
}

/// gold's `--section-ordering-file`: one section name a line, with the wildcards `*`, `?` and `[`. gold skips
/// lines that start with `#`. A compiler that gives each function its own section names it `.text.` and the
/// function's symbol, or `.text.hot.`, `.text.unlikely.` and so on.
enum GoldFormat {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(
      order, uses: ["clang -ffunction-sections -fuse-ld=gold -Wl,--section-ordering-file=FILE"])
      + order.names.map { ".text.\($0)\n" }.joined()
  }
}

/// BOLT's `--function-order`: one symbol name a line and no comments, because BOLT treats every line as a name.
/// Use: `llvm-bolt --reorder-functions=user --function-order=FILE BINARY -o BINARY.bolt`, where BINARY was
/// linked with `-Wl,--emit-relocs`.
enum BOLTFormat {
  static func text(_ order: SymbolOrder) -> String {
    order.names.map { $0 + "\n" }.joined()
  }
}

/// The `-order_file` of Apple's linkers: one symbol name a line; `#` starts a comment. Mach-O adds an
/// underscore before every symbol name of a compiler, Swift's included.
enum LD64Format {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(order, uses: ["clang -Wl,-order_file,FILE"])
      + order.names.map { "_\($0)\n" }.joined()
  }
}
