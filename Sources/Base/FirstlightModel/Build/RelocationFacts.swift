/// The work of relocation at start.
public struct RelocationFacts: Hashable, Sendable {
  /// The sections that hold them.
  public var tables: [Table] = []
  /// For each kind, as the ABI names it, how many; packed ones are counted as unpacked.
  public var counts: [String: Int] = [:]
  /// Of these, how many are packed.
  public var packed = 0
  /// For each section that is written to, how many pages of memory that makes the process's own.
  public var dirtiedPages: [String: Int] = [:]
  /// Pages written to in all: a page that two sections share counts once.
  public var dirtiedPagesInAll = 0
  /// Whether a table was cut short because it lies or points outside what is loaded.
  public var isDamaged = false

  public struct Table: Hashable, Sendable {
    public var name: String
    public var bytes: UInt64
    /// Relocations it stands for.
    public var count: Int

    public init(name: String, bytes: UInt64, count: Int) {
      self.name = name
      self.bytes = bytes
      self.count = count
    }
  }

  public init() {}

  public var count: Int { counts.values.reduce(0, +) }
  /// Those that only add the load bias: the ones that can be packed.
  public var relative: Int {
    counts.reduce(0) { $0 + ($1.key.hasSuffix("_RELATIVE") ? $1.value : 0) }
  }
}
