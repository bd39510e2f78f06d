/// The loader's relocation work at start-up.
package struct RelocationFacts: Hashable, Sendable {
  /// The sections that hold the relocations.
  package var tables: [Table] = []
  /// Number of relocations of each type, by its ABI name; packed ones are counted as unpacked.
  package var counts: [TextBytes: Int] = [:]
  /// Number of packed relocations among `counts`.
  package var packed = 0
  /// For each written section, the number of pages that relocation makes private to the process.
  package var dirtiedPages: [TextBytes: Int] = [:]
  /// Number of all written pages; a page that two sections share counts once.
  package var dirtiedPagesInAll = 0
  /// Whether a table was cut short because it lies outside the loaded memory, or points outside it.
  package var isDamaged = false

  package struct Table: Hashable, Sendable {
    package var name: String
    package var bytes: UInt64
    /// Number of relocations in the table.
    package var count: Int

    package init(name: String, bytes: UInt64, count: Int) {
      self.name = name
      self.bytes = bytes
      self.count = count
    }
  }

  package init() {}

  package var count: Int { counts.values.reduce(0, +) }
  /// Relocations that only add the load bias: the kind that can be packed.
  package var relative: Int {
    counts.reduce(0) { $0 + ($1.key.text.ends(with: "_RELATIVE") ? $1.value : 0) }
  }
}
