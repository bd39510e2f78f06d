/// Changes section headers of an ELF file in memory that is ours alone.
struct SectionHeaderEditor {
  private let bytes: Bytes
  private let headers: Int
  private let size: Int

  /// - Parameter file: a copy, of which an `ELFFile` has checked the headers.
  init(_ file: MappedFile) {
    bytes = file.bytes
    headers = Int(clamping: bytes.load(40, as: UInt64.self) ?? 0)
    size = Int(bytes.load(58, as: UInt16.self) ?? 0)
  }

  func setType(_ type: UInt32, of section: Int) { set(type, at: 4, of: section) }
  func setFlags(_ flags: UInt64, of section: Int) { set(flags, at: 8, of: section) }
  func setAddress(_ address: UInt64, of section: Int) { set(address, at: 16, of: section) }

  func setContents(offset: Int, size: Int, of section: Int) {
    set(UInt64(offset), at: 24, of: section)
    set(UInt64(size), at: 32, of: section)
  }

  private func set<T: FixedWidthInteger & BitwiseCopyable>(
    _ value: T, at field: Int, of section: Int
  ) {
    let place = headers + section * size + field
    guard bytes.load(place, as: T.self) != nil else { return }
    UnsafeMutableRawPointer(mutating: bytes.base + place).storeBytes(of: value, as: T.self)
  }
}
