extension DebugImage {
  /// Where the code at a link-time address comes from, by the line table.
  public func location(of address: UInt64) -> SourceLocation? {
    guard hasDebugInfo, let offset = dwarf.offset(address), let unit = dwarf.unit(at: offset) else {
      return nil
    }
    let table = dwarf.lineTable(unit)
    guard let row = table.row(at: offset), let file = table.files.path(UInt64(row.file)) else {
      return nil
    }
    return SourceLocation(file: file, line: Int(row.line), column: Int(row.column))
  }

  /// What is at a link-time address: the innermost inlined function first, the function that the
  /// symbol table knows last. Never empty. Many addresses: `frameTable`.
  public func frames(at address: UInt64) -> [Frame] {
    frameTable(for: [address], inlines: true).frames(at: 0)
  }

  /// What is at each of many link-time addresses, in their order; much faster than one by one.
  /// Without `inlines` one frame each: the function that the symbol table knows, and the place that
  /// the line table gives.
  public func frameTable(for addresses: [UInt64], inlines: Bool) -> FrameTable {
    FrameTableBuilder(self, inlines: inlines).table(for: addresses)
  }
}
