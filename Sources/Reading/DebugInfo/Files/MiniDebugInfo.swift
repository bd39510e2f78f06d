import FirstlightModel

/// The symbols that distributions leave in a stripped program: the section `.gnu_debugdata` is an ELF file with
/// a symbol table of the functions that `.dynsym` lacks, in the .xz format (gdb manual, "Debugging information
/// in a special section").
struct MiniDebugInfo: Sendable {
  /// Nil if it can't be read.
  let file: ELFFile?
  /// Why not, for people.
  let problem: String?

  /// However large the section is: a symbol table of millions of functions is smaller.
  private static let largest = 128 << 20

  /// Nil if the file has none.
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
    let limit = DebugInfoLimits.inflationBase + stored.count * DebugInfoLimits.inflation
    let image = try XZ.inflate(stored, limit: min(limit, largest))
    let file = image.withUnsafeBytes { bytes in
      try? ELFFile(MappedFile(copyOf: Bytes(bytes), of: elf.file, path: elf.path))
    }
    guard let file, file.machine == elf.machine, file.symbolTable != nil else { throw .damaged }
    return file
  }
}
