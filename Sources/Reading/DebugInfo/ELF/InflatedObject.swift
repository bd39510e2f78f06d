import CElfutils
import FirstlightModel
import Glibc

/// Inflates the debug sections of an object file, so that relocations can be applied to them.
enum InflatedObject {
  /// Returns the file with its debug sections inflated after its other contents. A section that libelf cannot
  /// inflate stays unchanged, and so does a file that claims too much for its size.
  static func inflate(_ elf: ELFFile) throws(Failure) -> ELFFile {
    guard elf.hasCompressedSections, InflatedSize.isAllowed(elf) else { return elf }
    // libelf marks inflated sections in the headers, so it works on a separate copy.
    let scratch = try MappedFile(copyOf: elf.file.bytes, of: elf.file, path: elf.path)
    let memory = UnsafeMutablePointer(
      mutating: scratch.bytes.base.assumingMemoryBound(to: CChar.self))
    guard elf_version(UInt32(EV_CURRENT)) != 0,
      let handle = elf_memory(memory, scratch.bytes.count)
    else { return elf }
    defer { elf_end(handle) }
    let inflated = elf.sections.compactMap { section in
      contents(of: section, handle).map { (section, $0) }
    }
    let start = (elf.file.bytes.count + 15) & ~15
    let size = inflated.reduce(start) { $0 + $1.1.count }
    let image = try MappedFile(
      copyOf: elf.file.bytes, of: elf.file, path: elf.path, extra: size - elf.file.bytes.count)
    let editor = SectionHeaderEditor(image)
    var end = start
    for (section, contents) in inflated {
      let place = UnsafeMutableRawPointer(mutating: image.bytes.base) + end
      memcpy(place, contents.base, contents.count)
      editor.setFlags(section.flags & ~ELFSection.compressedFlag, of: section.index)
      editor.setContents(offset: end, size: contents.count, of: section.index)
      end += contents.count
    }
    return try ELFFile(image, isPart: true)
  }

  /// The contents of a compressed debug section; nil for other sections, or if inflating fails.
  private static func contents(of section: ELFSection, _ handle: OpaquePointer) -> Bytes? {
    guard section.isDebug, let place = elf_getscn(handle, section.index) else { return nil }
    if section.isCompressed {
      guard elf_compress(place, 0, 0) >= 0 else { return nil }
    } else {
      guard section.name.hasPrefix(".zdebug_"), elf_compress_gnu(place, 0, 0) >= 0 else {
        return nil
      }
    }
    guard let data = elf_rawdata(place, nil)?.pointee, let memory = data.d_buf else { return nil }
    return Bytes(base: UnsafeRawPointer(memory), count: data.d_size)
  }
}

/// Changes section headers of an ELF file in private memory.
struct SectionHeaderEditor {
  private let bytes: Bytes
  private let headers: Int
  private let size: Int

  /// - Parameter file: a copy with headers that an `ELFFile` has checked.
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
