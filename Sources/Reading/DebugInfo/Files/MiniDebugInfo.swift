import CLZMA
import FirstlightModel

/// The symbols that distributions leave in a stripped program: the section `.gnu_debugdata` is an
/// ELF file in .xz format, with a symbol table of the functions missing in `.dynsym` (gdb manual,
/// "Debugging information in a special section").
struct MiniDebugInfo: Sendable {
  /// Nil if the section cannot be read.
  let file: ELFFile?
  /// Why the section cannot be read, for the user; nil if it can.
  let problem: String?

  /// A limit for any section size: a symbol table of millions of functions is smaller.
  private static let largest = 128 << 20

  /// Nil if the file has no such section.
  init?(_ elf: ELFFile) {
    guard let section = elf.section(".gnu_debugdata"), section.hasContents else { return nil }
    do throws(XZ.Problem) {
      file = try Self.read(section, of: elf)
      problem = nil
    } catch {
      file = nil
      problem =
        switch error {
        case .damaged: "symbols are missing: its .gnu_debugdata is damaged"
        case .excessive:
          "symbols are missing: its .gnu_debugdata needs too much memory"
        }
    }
  }

  private static func read(
    _ section: ELFSection, of elf: ELFFile
  ) throws(XZ.Problem) -> ELFFile {
    let stored = elf.contents(section)
    let image = try XZ.inflate(stored, limit: largest)
    let file = image.withUnsafeBytes { bytes in
      try? ELFFile(MappedFile(copyOf: Bytes(bytes), of: elf.file))
    }
    guard let file, file.machine == elf.machine, file.symbolTable != nil else { throw .damaged }
    return file
  }
}
