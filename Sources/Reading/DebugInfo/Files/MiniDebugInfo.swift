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

/// Inflates .xz data by liblzma, up to a limit: the format has none, and a few kilobytes can stand
/// for gigabytes.
enum XZ {
  enum Problem: Error {
    case damaged
    /// Larger than the limit, or needs more memory than `memoryLimit`.
    case excessive
  }

  /// The needs of the largest preset of xz (-9, a dictionary of 64 MB), and a little more.
  private static let memoryLimit: UInt64 = 80 << 20

  /// - Parameter limit: maximum size of the output in bytes.
  static func inflate(_ input: Bytes, limit: Int) throws(Problem) -> [UInt8] {
    // All fields are zero or null, as with LZMA_STREAM_INIT.
    var stream = lzma_stream()
    guard lzma_stream_decoder(&stream, memoryLimit, 0) == LZMA_OK else { throw .excessive }
    defer { lzma_end(&stream) }
    var result = LZMA_OK
    // One byte more than allowed, to detect output that is too large. Untouched pages cost nothing.
    let output = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
      stream.next_in = input.base.assumingMemoryBound(to: UInt8.self)
      stream.avail_in = input.count
      stream.next_out = buffer.baseAddress
      stream.avail_out = buffer.count
      // With all input and all output space available, each call makes progress until the last.
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
