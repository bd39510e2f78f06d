/// One output section.
public struct BinarySection: Hashable, Sendable {
  public var name: String
  /// 0 unless it is loaded.
  public var address: UInt64
  /// Where its contents begin in the file.
  public var offset: UInt64
  public var size: UInt64
  /// Whether it is part of the process's memory.
  public var isLoaded: Bool
  public var isWritable: Bool
  public var isExecutable: Bool
  /// Whether it has contents in the file; `.bss` has none.
  public var isInFile: Bool

  public init(
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

  /// Numbers of the file's pages that hold some of it; empty if it is not in the file.
  public func filePages(size pageSize: UInt64 = 4096) -> Range<UInt64> {
    let (end, overflow) = offset.addingReportingOverflow(size)
    guard isInFile, size > 0, !overflow else { return 0..<0 }
    return offset / pageSize..<(end - 1) / pageSize + 1
  }
}
