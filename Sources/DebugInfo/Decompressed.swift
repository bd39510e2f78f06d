import CElfutils
import FirstlightModel
import Glibc

/// A debug section that the file holds compressed (`SHF_COMPRESSED`), inflated by libelf.
final class Decompressed: @unchecked Sendable {
  // Memory of ours, never written after init: safe to share.
  let bytes: Bytes

  /// Nil if libelf can't inflate it: damaged, or a method this libelf doesn't know (zstd before
  /// elfutils 0.189).
  init?(_ section: ELFSection, of elf: ELFFile) {
    let contents = elf.contents(section)
    // Elf64_Chdr: type, reserved, size, alignment. Deflate can't do better than 1032 to 1, so a
    // larger claim is a lie, and memory we'd better not ask for.
    guard let size = contents.load(8, as: UInt64.self), contents.load(0, as: UInt32.self) == 1,
      size > 0, size <= UInt64(contents.count) * 1032
    else { return nil }
    guard let inflated = Self.inflate(contents, size: Int(size)) else { return nil }
    bytes = Bytes(base: UnsafeRawPointer(inflated), count: Int(size))
  }

  /// Wraps the contents in the smallest ELF file that has them as a section, so that libelf sees
  /// nothing of the rest of a file we don't trust, then lets libelf inflate it. The result is the
  /// caller's to free.
  private static func inflate(_ contents: Bytes, size: Int) -> UnsafeMutableRawPointer? {
    let headers = 64 + 64 * 2
    let total = headers + contents.count
    let image = UnsafeMutableRawPointer.allocate(byteCount: total, alignment: 16)
    defer { image.deallocate() }
    image.initializeMemory(as: UInt8.self, repeating: 0, count: headers)
    var file = Elf64_Ehdr()
    file.e_ident.0 = 0x7f
    file.e_ident.1 = 0x45
    file.e_ident.2 = 0x4c
    file.e_ident.3 = 0x46
    file.e_ident.4 = 2
    file.e_ident.5 = 1
    file.e_ident.6 = 1
    file.e_type = 1
    file.e_machine = ELFFile.amd64
    file.e_version = 1
    file.e_shoff = 64
    file.e_ehsize = 64
    file.e_shentsize = 64
    file.e_shnum = 2
    image.storeBytes(of: file, as: Elf64_Ehdr.self)
    var header = Elf64_Shdr()
    header.sh_type = ELFSection.progbits
    header.sh_flags = 0x800
    header.sh_offset = UInt64(headers)
    header.sh_size = UInt64(contents.count)
    header.sh_addralign = 8
    image.storeBytes(of: header, toByteOffset: 128, as: Elf64_Shdr.self)
    memcpy(image + headers, contents.base, contents.count)

    guard elf_version(UInt32(EV_CURRENT)) != 0,
      let elf = elf_memory(image.assumingMemoryBound(to: CChar.self), total)
    else { return nil }
    defer { elf_end(elf) }
    guard let section = elf_getscn(elf, 1), elf_compress(section, 0, 0) >= 0,
      let data = elf_getdata(section, nil), data.pointee.d_size == size,
      let inflated = data.pointee.d_buf, let copy = malloc(size)
    else { return nil }
    memcpy(copy, inflated, size)
    return copy
  }

  deinit { free(UnsafeMutableRawPointer(mutating: bytes.base)) }
}
