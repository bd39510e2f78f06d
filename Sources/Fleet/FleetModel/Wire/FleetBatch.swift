import FirstlightModel

/// Traces together, as bytes: what hosts sent before they sent sums, and how stores keep samples.
///
/// "FLB2", the number of traces, then each behind its length in bytes. All numbers are unsigned
/// LEB128 but for times, which are IEEE 754 doubles; guards are differences to the one before, or a bit
/// each where that is shorter. "FLB1", which is still read, has differences only.
package enum FleetBatch {
  /// Named the format where bytes travelled.
  package static let mediaType = "application/vnd.firstlight.batch"
  /// The most traces of one batch.
  package static let traceLimit = 10_000

  package static func encode(_ traces: [FleetTrace]) -> [UInt8] {
    join(traces.map(FleetTraceCoding.encode))
  }

  private static func join(_ traces: [[UInt8]]) -> [UInt8] {
    var writer = ByteWriter(bytes: Array(magic))
    writer.bytes.reserveCapacity(traces.reduce(16) { $0 + $1.count + 5 })
    writer.number(traces.count)
    for trace in traces {
      writer.number(trace.count)
      writer.bytes.append(contentsOf: trace)
    }
    return writer.bytes
  }

  /// - Throws: `.data`, naming the offset, if the bytes are not a batch.
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> [FleetTrace] {
    var (reader, hasSets, count) = try begin(bytes)
    var traces: [FleetTrace] = []
    for _ in 0..<count { traces.append(try trace(&reader, hasSets: hasSets)) }
    guard reader.rest == 0 else { throw reader.failure("goes on after its last trace") }
    return traces
  }

  /// Takes the header off a batch.
  /// - Returns: what reads its traces, whether guards can be sets in them, and how many there are.
  static func begin(
    _ bytes: UnsafeRawBufferPointer
  ) throws(Failure) -> (reader: ByteReader, hasSets: Bool, traces: Int) {
    let start = bytes.prefix(headerSize)
    let hasSets = start.elementsEqual(magic)
    guard bytes.count > headerSize, hasSets || start.elementsEqual("FLB1".utf8) else {
      throw Failure(.data, "batch: offset 0: is not a batch of traces")
    }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[headerSize...]))
    let count = try reader.count(ofSize: 8, called: "traces")
    guard count <= traceLimit else {
      throw reader.failure("\(count) traces, at most \(traceLimit) travel together")
    }
    return (reader, hasSets, count)
  }

  /// Takes the next trace off a batch.
  static func trace(
    _ reader: inout ByteReader, hasSets: Bool
  ) throws(Failure) -> FleetTrace {
    let length = try reader.count(ofSize: 1, called: "bytes of a trace")
    let end = reader.at + length
    let trace = try FleetTraceCoding.decode(&reader, end: end, hasSets: hasSets)
    guard reader.at == end else { throw reader.failure("a trace is not as long as it says") }
    return trace
  }

  /// Bytes that say what it is.
  static var headerSize: Int { magic.count }
  private static let magic = "FLB2".utf8
}
