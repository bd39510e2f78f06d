import CZlib
import FirstlightModel

/// Compresses bytes to a zlib stream (RFC 1950), which is also HTTP's content coding `deflate` (RFC 9110, 8.4.1.2).
package enum Deflate {
  /// - Parameter level: zlib's, 1 to 9. The lowest: higher ones hardly shrink small numbers further.
  /// - Throws: `.system` if memory is exhausted.
  package static func compress(_ bytes: [UInt8], level: Int32 = 1) throws(Failure) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(size))
    guard compress2(&result, &size, bytes, uLong(bytes.count), level) == Z_OK else {
      throw Failure(.system, "cannot compress \(bytes.count) bytes: out of memory")
    }
    result.removeLast(result.count - Int(size))
    return result
  }

  /// Inflates the output of `compress`.
  /// - Parameter limit: the largest size of the result in bytes.
  /// - Throws: `.data` if the bytes are no such stream, end too early, or exceed the limit.
  package static func inflate(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw Failure(.system, "cannot inflate \(bytes.count) bytes: out of memory")
    }
    defer { inflateEnd(&stream) }
    var part = [UInt8](
      repeating: 0, count: min(limit + 1, max(4096, min(bytes.count * 4, 1 << 20))))
    var result: [UInt8] = []
    // Reserves the largest size at once, because growth would copy the array. Nothing inflates to more than
    // 1032 times its size, and unwritten memory costs nothing.
    let (size, isOver) = bytes.count.multipliedReportingOverflow(by: 1032)
    result.reserveCapacity(min(isOver ? limit : size, limit) + part.count)
    var input = bytes
    var status = Z_OK
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(input.count)
      while status == Z_OK, result.count <= limit {
        part.withUnsafeMutableBufferPointer { part in
          stream.next_out = part.baseAddress
          stream.avail_out = uInt(part.count)
          status = CZlib.inflate(&stream, Z_NO_FLUSH)
          result.append(contentsOf: part[..<(part.count - Int(stream.avail_out))])
        }
        if status == Z_BUF_ERROR { break }
      }
    }
    guard result.count <= limit else {
      throw Failure(.data, "the bytes inflate to more than \(limit) bytes")
    }
    guard status == Z_STREAM_END, stream.avail_in == 0 else {
      throw Failure(.data, "the bytes are not a whole zlib stream")
    }
    return result
  }
}
