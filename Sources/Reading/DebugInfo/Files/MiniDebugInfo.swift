import CLZMA
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

/// Inflates data in the .xz format, by liblzma, up to a limit: the format has none of its own, and a few
/// kilobytes can stand for gigabytes.
enum XZ {
  enum Problem: Error {
    case damaged
    /// Larger than the limit, or made to be inflated with more memory than `memoryLimit`.
    case excessive
  }

  /// What the largest preset of xz wants (-9, a dictionary of 64 MB), and a little more.
  private static let memoryLimit: UInt64 = 80 << 20

  /// - Parameter limit: how many bytes may come out.
  static func inflate(_ input: Bytes, limit: Int) throws(Problem) -> [UInt8] {
    // Its fields are nulls and zeros at first, as LZMA_STREAM_INIT says.
    var stream = lzma_stream()
    guard lzma_stream_decoder(&stream, memoryLimit, 0) == LZMA_OK else { throw .excessive }
    defer { lzma_end(&stream) }
    var result = LZMA_OK
    // One byte more than may come, so that what is too large shows. Untouched pages cost nothing.
    let output = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
      stream.next_in = input.base.assumingMemoryBound(to: UInt8.self)
      stream.avail_in = input.count
      stream.next_out = buffer.baseAddress
      stream.avail_out = buffer.count
      // With all input and all room at once, each call makes progress until the last.
      while result == LZMA_OK, stream.avail_out > 0 { result = lzma_code(&stream, LZMA_FINISH) }
      count = buffer.count - stream.avail_out
    }
    guard output.count <= limit, result != LZMA_MEMLIMIT_ERROR, result != LZMA_MEM_ERROR else {
      throw .excessive
    }
    guard result == LZMA_STREAM_END else { throw .damaged }
    return output
  }
}
