import CElfutils

/// Which compressions of debug sections the installed libelf can undo (`ch_type`; generic ABI, "Section
/// Compression"). Version 0.188 knows zlib alone.
enum SectionCompression {
  private static let zlib: UInt32 = 1
  private static let zstd: UInt32 = 2

  /// Why the debug information of a file can't be read, for people; nil: its compression is known.
  static func problem(of file: ELFFile) -> String? {
    for section in file.sections where section.isCompressed && section.isDebug {
      let kind = file.contents(section).load(0, as: UInt32.self) ?? zlib
      guard kind != zlib, kind != zstd || !canInflateZstd else { continue }
      let name = kind == zstd ? "zstd" : "compression \(kind)"
      let version = dwfl_version(nil).map { String(cString: $0) } ?? ""
      return "its debug information is ignored: the installed elfutils \(version) cannot inflate "
        + "\(name); recompress it with objcopy --compress-debug-sections=zlib"
    }
    return nil
  }

  /// Decided by trying: it depends on how libelf was built, too.
  static let canInflateZstd: Bool = {
    // A frame with one byte (RFC 8878), behind the section's header: kind, size 1, alignment 1.
    let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 0x61]
    let header: [UInt8] =
      [2, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0]
    let bytes = TinyELF.file(
      section: ".debug_line", flags: ELFSection.compressedFlag, header + frame)
    let memory = UnsafeMutablePointer(mutating: bytes.base.assumingMemoryBound(to: CChar.self))
    guard elf_version(UInt32(EV_CURRENT)) != 0, let elf = elf_memory(memory, bytes.count) else {
      return false
    }
    defer { elf_end(elf) }
    guard let section = elf_getscn(elf, 1) else { return false }
    return elf_compress(section, 0, 0) >= 0
  }()
}
