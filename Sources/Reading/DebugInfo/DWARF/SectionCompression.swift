import CElfutils
import FirstlightModel
import Glibc
import SystemSupport

/// The compressions of debug sections that the installed libelf supports (`ch_type`; generic ABI,
/// "Section Compression"). Version 0.188 supports only zlib.
package enum SectionCompression {
  /// The installed elfutils.
  package static var elfutilsVersion: String {
    dwfl_version(nil).map { String(cString: $0) } ?? ""
  }

  private static let zlib: UInt32 = 1
  private static let zstd: UInt32 = 2

  /// Found by a trial on this program's own section names, since it also depends on libelf's build options.
  package static let canInflateZstd: Bool = {
    guard let file = try? MappedFile(path: "/proc/self/exe"), let elf = file.openELF() else {
      return false
    }
    defer { elf_end(elf) }
    var names = 0
    guard elf_getshdrstrndx(elf, &names) == 0, let section = elf_getscn(elf, names) else {
      return false
    }
    return elf_compress(section, CInt(zstd), UInt32(ELF_CHF_FORCE)) >= 0
  }()

  /// The reason why a file's debug information cannot be read, for the user; nil if libelf inflates it.
  static func problem(of file: ELFFile) -> String? {
    for section in file.sections where section.isCompressed && section.isDebug {
      let kind = file.contents(section).load(0, as: UInt32.self) ?? zlib
      guard kind != zlib, kind != zstd || !canInflateZstd else { continue }
      let name = kind == zstd ? "zstd" : "compression \(kind)"
      return "its debug information is ignored: the installed elfutils \(elfutilsVersion) cannot "
        + "inflate \(name); recompress it with objcopy --compress-debug-sections=zlib"
    }
    return nil
  }
}
