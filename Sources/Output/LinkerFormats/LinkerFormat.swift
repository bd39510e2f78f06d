import SymbolOrdering

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

  /// The order as the text of the file to hand to the linker, with a comment at its head where the
  /// format knows comments.
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
