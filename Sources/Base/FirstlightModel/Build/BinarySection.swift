/// One output section.
package struct BinarySection: Hashable, Sendable {
  package var name: String
  /// 0 unless the section is loaded.
  package var address: UInt64
  /// Offset of the contents in the file.
  package var offset: UInt64
  package var size: UInt64
  /// Whether the section is part of the process's memory.
  package var isLoaded: Bool
  package var isWritable: Bool
  package var isExecutable: Bool
  /// Whether the section has contents in the file; `.bss` has none.
  package var isInFile: Bool

  package init(
    name: String, address: UInt64, offset: UInt64, size: UInt64, isLoaded: Bool, isWritable: Bool,
    isExecutable: Bool, isInFile: Bool
  ) {
    self.name = name
    self.address = address
    self.offset = offset
    self.size = size
    self.isLoaded = isLoaded
    self.isWritable = isWritable
    self.isExecutable = isExecutable
    self.isInFile = isInFile
  }

  /// Numbers of the file pages that hold part of the section; empty if it is not in the file.
  package func filePages(size pageSize: UInt64 = PageSize.reported) -> Range<UInt64> {
    let (end, overflow) = offset.addingReportingOverflow(size)
    guard isInFile, size > 0, !overflow else { return 0..<0 }
    return offset / pageSize..<(end - 1) / pageSize + 1
  }
}
