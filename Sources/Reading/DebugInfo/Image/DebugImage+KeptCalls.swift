import FirstlightModel

extension DebugImage {
  /// A symbol that the linker defines in builds whose compilers must not copy functions into their callers
  /// (`firstlight flags --no-inlining`): nothing else in a file shows that.
  private static let keptCalls: StaticString = "firstlight_keeps_calls"

  /// Whether calls were kept calls.
  var keepsCalls: Bool { defines(Self.keptCalls) }

  /// Whether the file has an absolute symbol of this name, as a linker's --defsym makes it (ELF, section
  /// "Symbol Table", SHN_ABS).
  package func defines(_ name: StaticString) -> Bool {
    for section in symbolSections.joined() {
      let names = section.nameBytes
      let symbols = section.symbolBytes
      for at in stride(from: 0, to: symbols.count - 23, by: 24) {
        let symbol = symbols.base + at
        guard symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self) == 0xfff1 else { continue }
        let offset = Int(symbol.loadUnaligned(as: UInt32.self))
        if let found = names.cString(offset), found.equals(name) { return true }
      }
    }
    return false
  }
}
