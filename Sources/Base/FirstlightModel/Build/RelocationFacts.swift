/// The work of relocation at start.
package struct RelocationFacts: Hashable, Sendable {
  /// The sections that hold them.
  package var tables: [Table] = []
  /// For each kind, as the ABI names it, how many; packed ones are counted as unpacked.
  package var counts: [String: Int] = [:]
  /// Of these, how many are packed.
  package var packed = 0
  /// For each section that is written to, how many pages of memory that makes the process's own.
  package var dirtiedPages: [String: Int] = [:]
  /// Pages written to in all: a page that two sections share counts once.
  package var dirtiedPagesInAll = 0
  /// Whether a table was cut short because it lies or points outside what is loaded.
  package var isDamaged = false

  package struct Table: Hashable, Sendable {
    package var name: String
    package var bytes: UInt64
    /// Relocations it stands for.
    package var count: Int

    package init(name: String, bytes: UInt64, count: Int) {
      self.name = name
      self.bytes = bytes
      self.count = count
    }
  }

  package init() {}

  package var count: Int { counts.values.reduce(0, +) }
  /// Those that only add the load bias: the ones that can be packed.
  package var relative: Int {
    counts.reduce(0) { $0 + ($1.key.hasSuffix("_RELATIVE") ? $1.value : 0) }
  }
}
