import FirstlightModel

/// Traces together, as bytes: what hosts sent, and what ledgers and stores kept, before they held sums.
///
/// "FLB2", the number of traces, then each behind its length in bytes. All numbers are unsigned
/// LEB128 but for times, which are IEEE 754 doubles; guards are differences to the one before, or a bit
/// each where that is shorter. "FLB1", which is still read, has differences only.
package enum FleetBatch {
  /// The most traces of one batch.
  package static let traceLimit = 10_000

  /// What earlier versions wrote; for tests of what reads it.
  package static func encode(_ traces: [FleetTrace]) -> [UInt8] {
    var writer = ByteWriter(bytes: Array(magic))
    writer.number(traces.count)
    for trace in traces {
      let bytes = FleetTraceCoding.encode(trace)
      writer.number(bytes.count)
      writer.bytes.append(contentsOf: bytes)
    }
    return writer.bytes
  }

  /// The traces of a batch that can be added up.
  /// - Throws: `.data` if the bytes are not a batch, or a trace contradicts itself.
  package static func countable(_ bytes: [UInt8]) throws(Failure) -> [FleetTrace] {
    let decoded = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try decode(bytes) }
    }
    let traces = try decoded.get()
    if let reason = traces.lazy.compactMap(TraceVariants.contradiction).first {
      throw Failure(.data, reason)
    }
    return traces
  }

  /// - Throws: `.data`, naming the offset, if the bytes are not a batch.
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> [FleetTrace] {
    let start = bytes.prefix(magic.count)
    let hasSets = start.elementsEqual(magic)
    guard bytes.count > magic.count, hasSets || start.elementsEqual("FLB1".utf8) else {
      throw Failure(.data, "batch: offset 0: is not a batch of traces")
    }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[magic.count...]))
    let count = try reader.count(ofSize: 8, called: "traces")
    guard count <= traceLimit else {
      throw reader.failure("\(count) traces, at most \(traceLimit) travel together")
    }
    var traces: [FleetTrace] = []
    for _ in 0..<count {
      let length = try reader.count(ofSize: 1, called: "bytes of a trace")
      let end = reader.at + length
      traces.append(try FleetTraceCoding.decode(&reader, end: end, hasSets: hasSets))
      guard reader.at == end else { throw reader.failure("a trace is not as long as it says") }
    }
    guard reader.rest == 0 else { throw reader.failure("goes on after its last trace") }
    return traces
  }

  private static let magic = "FLB2".utf8
}
