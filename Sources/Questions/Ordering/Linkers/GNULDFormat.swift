/// GNU ld's `--section-ordering-file`, in binutils 2.43 and later: the input sections that come first
/// in an output section, in the syntax of linker scripts (ld manual, "Options"). As with gold, each
/// function's section is named after its symbol.
enum GNULDFormat {
  static func text(_ order: SymbolOrder) -> String {
    OrderHeader.text(
      order,
      uses: ["gcc -ffunction-sections -Wl,--section-ordering-file=FILE"],
      comment: ("/* ", " */"))
      + ".text : {\n" + order.names.map { "  *(\(section($0)))\n" }.joined() + "}\n"
  }

  /// Quotes names with characters that have a meaning in a script.
  private static func section(_ name: String) -> String {
    let plain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "$"):
        true
      default: false
      }
    }
    return plain ? ".text.\(name)" : "\".text.\(name)\""
  }
}
