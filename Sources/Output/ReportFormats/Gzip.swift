import CZlib
import FirstlightModel

/// Compresses bytes as a gzip file (RFC 1952).
enum Gzip {
  /// - Throws: `.system` if memory is exhausted.
  static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    // 15 window bits, and 16 for gzip's header and checksum.
    guard
      deflateInit2_(
        &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw Failure(.system, "cannot compress: out of memory") }
    defer { deflateEnd(&stream) }
    var input = bytes
    var result = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    // The bound holds for one call, which cannot fail then.
    input.withUnsafeMutableBufferPointer { input in
      result.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        _ = deflate(&stream, Z_FINISH)
      }
    }
    result.removeLast(Int(stream.avail_out))
    return result
  }
}
