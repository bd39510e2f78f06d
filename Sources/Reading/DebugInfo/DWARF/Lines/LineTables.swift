import CElfutils
import Glibc

/// The line tables of all units, measured: which of them libdw may read.
struct LineTables: Sendable {
  private var tables: [UInt64: LineTable] = [:]
  /// Whether units have tables that libdw can't read.
  private(set) var isIncomplete = false
  /// Of the directory that a compiler ran in: more than Linux allows (`PATH_MAX`).
  private static let longestDirectory = 1 << 16

  /// Measures the table at `offset`, of the unit with this first entry.
  mutating func add(_ offset: UInt64, _ sections: DebugSections, unit: inout Dwarf_Die) {
    guard tables[offset] == nil else { return }
    let directory = UnitLines.compilationDirectory(&unit).map {
      strnlen($0, Self.longestDirectory + 1)
    }
    if directory ?? 0 <= Self.longestDirectory {
      tables[offset] = LineTable(
        sections, at: offset, directory: directory ?? 0, limit: Self.pathLimit(sections))
    }
    if tables[offset] == nil { isIncomplete = true }
  }

  mutating func merge(_ other: LineTables) {
    tables.merge(other.tables) { $0.pathBytes > $1.pathBytes ? $0 : $1 }
    isIncomplete = isIncomplete || other.isIncomplete
  }

  /// Where the tables are that libdw can read.
  var offsets: Set<UInt64> { Set(tables.keys) }

  /// Whether all of them, together, are within the limits, each part of the section in one of them alone.
  ///
  /// - Parameter codeSize: bytes of code in the image's file.
  func areAllowed(_ sections: DebugSections, codeSize: Int) -> Bool {
    var paths = Self.pathLimit(sections)
    var rows = DebugInfoLimits.rowBase + codeSize / DebugInfoLimits.codePerRow
    var end = 0
    for table in tables.values.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
      paths -= table.pathBytes
      rows -= table.rowLimit
      guard table.place.lowerBound >= end, paths >= 0, rows >= 0 else { return false }
      end = table.place.upperBound
    }
    return true
  }

  private static func pathLimit(_ sections: DebugSections) -> Int {
    DebugInfoLimits.pathBase + sections.lines.count * DebugInfoLimits.pathFactor
  }
}
