extension DebugImage {
  /// What is at each of many link-time addresses, in their order: the innermost inlined function first,
  /// the function that the symbol table knows last. Without `inlines` one frame each: the function that the
  /// symbol table knows, and the place that the line table gives.
  package func frameTable(for addresses: [UInt64], inlines: Bool) -> FrameTable {
    FrameTableBuilder(self, inlines: inlines).table(for: addresses)
  }
}
