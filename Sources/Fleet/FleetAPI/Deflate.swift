import CZlib
import FirstlightModel

/// Compressed bytes as HTTP's content coding `deflate` has them: a zlib stream (RFC 9110, 8.4.1.2).
package enum Deflate {
  /// - Throws: `.system` if there is no memory for it.
  package static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(size))
    // Level 1: batches are small numbers, which higher levels hardly make smaller.
    guard compress2(&result, &size, bytes, uLong(bytes.count), 1) == Z_OK else {
      throw Failure(.system, "cannot compress a batch: out of memory")
    }
    result.removeLast(result.count - Int(size))
    return result
  }

  /// Whether bytes begin as `compress` makes them (RFC 1950, 2.2), which no batch does.
  package static func isCompressed(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 2 && bytes[0] & 0x0f == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
  }

  /// The body of a request as it was before it was deflated, if it was.
  /// - Parameter limit: the most bytes that it may inflate to; nil: it is not deflated.
  package static func plain(_ body: [UInt8], inflatedLimit limit: Int?) throws(Failure) -> [UInt8] {
    guard let limit else { return body }
    return try inflate(body, limit: limit)
  }

  /// Undoes `compress`.
  /// - Parameter limit: the most bytes of the result.
  /// - Throws: `.data` if the bytes are not such a stream, end too early, or become more.
  package static func inflate(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw Failure(.system, "cannot inflate a batch: out of memory")
    }
    defer { inflateEnd(&stream) }
    var part = [UInt8](
      repeating: 0, count: min(limit + 1, max(4096, min(bytes.count * 4, 1 << 20))))
    var result: [UInt8] = []
    // At once, as growing would move it about. Nothing becomes more than 1032 times its size, and what is
    // not written to takes no memory.
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
