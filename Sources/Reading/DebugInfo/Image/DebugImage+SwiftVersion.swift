extension DebugImage {
  /// The version of the Swift compiler that made all of the image's Swift code, `[6, 3, 1]`; nil if
  /// debug information names none, or several.
  package var swiftVersion: [Int]? {
    guard hasDebugInfo else { return nil }
    let units = dwarf.units.lazy.filter { $0.language == DWARFUnit.swift }
    let versions = Set(units.map(\.swiftVersion))
    return versions.count == 1 ? versions.first.flatMap(\.self) : nil
  }
}
