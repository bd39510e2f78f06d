import FirstlightModel

/// The growth of a binary since an older one.
package struct SizeDifference: Sendable {
  package struct Row: Hashable, Sendable {
    package var name: String
    package var before: UInt64
    package var after: UInt64

    package var growth: Int64 { Int64(clamping: after) - Int64(clamping: before) }
  }

  /// Bytes of both files.
  package var total: Row
  /// Changed rows, largest change first. Each table's changes sum up to the file's.
  package var sections: [Row]
  package var modules: [Row]
  /// Changed, new and removed symbols.
  package var symbols: [Row]

  package init(before: SizeReport, after: SizeReport) {
    total = Row(name: after.path, before: before.fileSize, after: after.fileSize)
    sections = Self.rows(
      before.sections.map { ($0.name, $0.bytes) }, after.sections.map { ($0.name, $0.bytes) })
    modules = Self.rows(Self.modules(before), Self.modules(after))
    symbols = Self.rows(
      before.symbols.map { ($0.name, $0.bytes) }, after.symbols.map { ($0.name, $0.bytes) })
  }

  private static func modules(_ report: SizeReport) -> [(String, UInt64)] {
    report.modules.map { ($0.name, $0.bytes) } + report.others.map { ($0.name, $0.bytes) }
  }

  private static func rows(_ before: [(String, UInt64)], _ after: [(String, UInt64)]) -> [Row] {
    let (old, new) = (
      Dictionary(texts: before, uniquingKeysWith: +), Dictionary(texts: after, uniquingKeysWith: +)
    )
    return Set(old.keys).union(new.keys)
      .map { Row(name: $0.text, before: old[$0] ?? 0, after: new[$0] ?? 0) }
      .filter { $0.growth != 0 }
      .sorted { (-abs($0.growth), $0.name) < (-abs($1.growth), $1.name) }
  }
}
