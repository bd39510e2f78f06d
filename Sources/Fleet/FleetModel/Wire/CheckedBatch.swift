import FirstlightModel

/// A batch that was read from its first byte to its last, to be counted in parts that each fit in memory.
///
/// Most batches are one part, which is not read twice.
package struct CheckedBatch: Sendable {
  /// How many traces it has.
  package let traceCount: Int
  private let bytes: [UInt8]
  private let hasSets: Bool
  /// Where the traces of each part lie, and how many there are.
  private let parts: [(bytes: Range<Int>, traces: Int)]
  /// All traces of a batch of one part.
  private let only: [FleetTrace]?
  /// How much memory its largest part takes while it is counted; see `BatchWeight`.
  package let weight: Int

  /// The most that one part takes, unless one trace alone takes more; see `BatchWeight`.
  package static let partWeight = 48 << 20

  /// - Throws: `.data`, naming the offset, if the bytes are not a batch.
  package init(_ bytes: [UInt8], partWeight: Int = Self.partWeight) throws(Failure) {
    let checked = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try Scan(bytes, partWeight: partWeight) }
    }
    let scan = try checked.get()
    self.bytes = bytes
    hasSets = scan.hasSets
    traceCount = scan.parts.reduce(0) { $0 + $1.traces }
    parts = scan.parts
    only = scan.parts.count == 1 ? scan.traces : nil
    weight = scan.weight
  }

  package var partCount: Int { parts.count }

  /// The traces of a part.
  package func traces(ofPart part: Int) throws(Failure) -> [FleetTrace] {
    if let only { return only }
    return try bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[parts[part].bytes]))
        var traces: [FleetTrace] = []
        for _ in 0..<parts[part].traces {
          traces.append(try FleetBatch.trace(&reader, hasSets: hasSets))
        }
        return traces
      }
    }.get()
  }

  /// Reads all traces once, and keeps them as long as they are one part.
  private struct Scan {
    var hasSets: Bool
    var parts: [(bytes: Range<Int>, traces: Int)] = []
    var traces: [FleetTrace] = []
    var weight = 0

    init(_ bytes: UnsafeRawBufferPointer, partWeight: Int) throws(Failure) {
      var (reader, hasSets, count) = try FleetBatch.begin(bytes)
      self.hasSets = hasSets
      var weight = BatchWeight()
      var part = (start: reader.at, traces: 0)
      for _ in 0..<count {
        let start = reader.at
        let trace = try FleetBatch.trace(&reader, hasSets: hasSets)
        weight.add(trace)
        if weight.bytes > partWeight, part.traces > 0 {
          parts.append((part.start..<start, part.traces))
          part = (start, 0)
          weight = BatchWeight()
          weight.add(trace)
          traces = []
        }
        self.weight = max(self.weight, weight.bytes)
        part.traces += 1
        if parts.isEmpty { traces.append(trace) }
      }
      guard reader.rest == 0 else { throw reader.failure("has data after its last trace") }
      parts.append((part.start..<reader.at, part.traces))
      let header = FleetBatch.headerSize
      parts = parts.map { ($0.bytes.lowerBound + header..<$0.bytes.upperBound + header, $0.traces) }
    }
  }
}
