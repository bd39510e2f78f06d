import CLZMA
import FirstlightModel

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
