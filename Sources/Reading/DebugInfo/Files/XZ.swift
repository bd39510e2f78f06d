import CLZMA

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
