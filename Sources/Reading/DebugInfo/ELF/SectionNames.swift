/// The table of an ELF file's section names, each text once: headers may share them, or their ends.
struct SectionNames {
  private let table: Bytes
  private var names: [UInt32: String] = [:]
  private var budget: Int

  /// - Parameter table: the section of names. What follows its last NUL is no name.
  init(_ table: Bytes) {
    self.table = table.terminated
    // Linkers let one name be the end of another: `.text` of `.rela.text`.
    budget = 4096 + table.count * 4
  }

  /// Whether the names, together, are longer than any linker makes them.
  var isExcessive: Bool { budget < 0 }

  /// The name at an offset; empty if it is outside, or once names are excessive.
  mutating func name(at offset: UInt32) -> String {
    if let name = names[offset] { return name }
    guard !isExcessive, let bytes = table.cString(Int(offset)) else { return "" }
    budget -= bytes.count
    let name = bytes.text
    names[offset] = name
    return name
  }
}
