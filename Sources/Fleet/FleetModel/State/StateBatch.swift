import FirstlightModel

/// A ledger's message: some of its rows, and sampled traces.
///
/// Layout: "FLS3"; the ledger's secret; the number of rows; for each row its length in bytes and the row; the
/// same for traces; if rows follow versions (`SeriesState.follows`), the numbers of these rows and then the
/// versions. Sent deflated. A receiver reads one row at a time.
package struct StateBatch: Sendable {
  /// The format's media type.
  package static let mediaType = "application/vnd.firstlight.states"
  /// The header with the sender's name for a batch, which the answer repeats if it refuses the batch.
  package static let nameHeader = "Firstlight-Batch"
  /// Maximum number of rows in a batch, and of traces.
  package static let rowLimit = 10_000

  package let secret: LedgerSecret
  /// The range of each row in `bytes`.
  package let rows: [Range<Int>]
  /// The range of each trace in `bytes`.
  package let samples: [Range<Int>]
  /// The versions that rows follow, by their place in `rows`.
  private let follows: [Int: RowVersion]
  private let bytes: [UInt8]

  package static func encode(
    _ secret: LedgerSecret, rows: [[UInt8]], follows: [Int: RowVersion] = [:],
    samples: [[UInt8]] = []
  ) -> [UInt8] {
    var writer = ByteWriter(bytes: Array(magic) + secret.bytes)
    writer.bytes.reserveCapacity((rows + samples).reduce(64) { $0 + $1.count + 5 })
    for parts in [rows, samples] {
      writer.number(parts.count)
      for part in parts {
        writer.number(part.count)
        writer.bytes.append(contentsOf: part)
      }
    }
    if !follows.isEmpty {
      let places = follows.keys.sorted()
      writer.rising(places.map { UInt32($0) })
      for place in places { writer.number(follows[place]?.rawValue ?? 0) }
    }
    return writer.bytes
  }

  /// Encodes a sampled trace for a batch.
  package static func encode(sample: FleetTrace) -> [UInt8] {
    FleetTraceCoding.encode(sample)
  }

  /// Finds the rows of a batch without decoding them.
  /// - Throws: `.data`, naming the offset, if the bytes are not a batch.
  package init(_ bytes: [UInt8]) throws(Failure) {
    let header = Self.magic.count + PublisherID.byteCount
    guard bytes.starts(with: Self.magic), bytes.count > header,
      let secret = LedgerSecret(bytes[Self.magic.count..<header])
    else { throw Failure(.data, "batch: offset 0: is not a batch of sums") }
    (rows, samples, follows) = try ByteReader.read(bytes, from: header) {
      reader throws(Failure) in
      let rows = try Self.parts(&reader, from: header, called: "rows")
      let samples = try Self.parts(&reader, from: header, called: "traces")
      var follows: [Int: RowVersion] = [:]
      if reader.rest > 0 {
        for place in try reader.rising(below: rows.count, called: "rows that follow others") {
          follows[Int(place)] = RowVersion(rawValue: try reader.number())
        }
        guard !follows.isEmpty else { throw reader.failure("goes on after its last trace") }
      }
      return (rows, samples, follows)
    }
    self.secret = secret
    self.bytes = bytes
  }

  /// - Throws: `.data`, naming the offset in the row.
  package func row(_ place: Int) throws(Failure) -> SeriesState {
    var state = try read(rows[place]) { bytes throws(Failure) in
      try SeriesState(decoding: bytes, whole: "row \(place + 1) of the batch")
    }
    state.follows = follows[place] ?? .none
    return state
  }

  /// - Throws: `.data`, naming the offset in the trace; also if the trace is unsuitable for a sample.
  package func sample(_ place: Int) throws(Failure) -> FleetTrace {
    try read(samples[place]) { bytes throws(Failure) in
      try Self.sample(bytes, whole: "trace \(place + 1) of the batch")
    }
  }

  /// Decodes a sampled trace.
  package static func sample(
    _ bytes: UnsafeRawBufferPointer, whole: String = "sampled trace"
  ) throws(Failure) -> FleetTrace {
    var reader = ByteReader(bytes, whole: whole)
    let trace = try FleetTraceCoding.decode(&reader)
    guard reader.rest == 0 else { throw reader.failure("goes on after its end") }
    if let reason = trace.contradiction { throw reader.failure(reason) }
    return trace
  }

  private func read<Value>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let value = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
    return try value.get()
  }

  private static func parts(
    _ reader: inout ByteReader, from start: Int, called noun: String
  ) throws(Failure) -> [Range<Int>] {
    let count = try reader.count(ofSize: 2, called: noun)
    guard count <= rowLimit else {
      throw reader.failure("\(count) \(noun), at most \(rowLimit) travel together")
    }
    var parts: [Range<Int>] = []
    parts.reserveCapacity(count)
    for _ in 0..<count {
      let length = try reader.count(ofSize: 1, called: "bytes")
      parts.append(start + reader.at..<start + reader.at + length)
      try reader.skip(length)
    }
    return parts
  }

  private static let magic = "FLS3".utf8
}
