import CZlib
import FirstlightModel

/// Compresses bytes in HTTP's content coding `deflate`: a zlib stream (RFC 9110, 8.4.1.2).
package enum Deflate {
  /// - Throws: `.system` if memory is exhausted.
  package static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(size))
    // Level 1: batches consist of small numbers, which higher levels hardly shrink further.
    guard compress2(&result, &size, bytes, uLong(bytes.count), 1) == Z_OK else {
      throw Failure(.system, "cannot compress a batch: out of memory")
    }
    result.removeLast(result.count - Int(size))
    return result
  }

  /// The body of a request, inflated if necessary.
  /// - Parameter limit: the largest inflated size in bytes; nil: the body is not deflated.
  package static func plain(_ body: [UInt8], inflatedLimit limit: Int?) throws(Failure) -> [UInt8] {
    guard let limit else { return body }
    return try inflate(body, limit: limit)
  }

  /// Inflates the output of `compress`.
  /// - Parameter limit: the largest size of the result in bytes.
  /// - Throws: `.data` if the bytes are no such stream, end too early, or exceed the limit.
  package static func inflate(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw Failure(.system, "cannot inflate a batch: out of memory")
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
      throw Failure(.data, "the batch inflates to more than \(limit) bytes")
    }
    guard status == Z_STREAM_END, stream.avail_in == 0 else {
      throw Failure(.data, "the batch is not a whole zlib stream")
    }
    return result
  }
}
