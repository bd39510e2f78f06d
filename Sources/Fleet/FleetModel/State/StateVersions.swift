import FirstlightModel

/// The keys and versions of a ledger's rows, which a store compares with its own.
///
/// "FLV1", the ledger's secret, the number of rows, each with its key and version.
package struct StateVersions: Sendable {
  package static let mediaType = "application/vnd.firstlight.versions"

  package var secret: LedgerSecret
  package var rows: [(key: StateKey, version: RowVersion)]

  package init(secret: LedgerSecret, rows: [(key: StateKey, version: RowVersion)]) {
    self.secret = secret
    self.rows = rows
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(bytes: Array(Self.magic) + secret.bytes)
    writer.number(rows.count)
    for (key, version) in rows {
      SeriesStateCoding.encode(key, to: &writer)
      writer.number(version.rawValue)
    }
    return writer.bytes
  }

  /// - Throws: `.data`, naming the offset, if the bytes are invalid.
  package init(decoding bytes: [UInt8]) throws(Failure) {
    let header = Self.magic.count + PublisherID.byteCount
    guard bytes.starts(with: Self.magic), bytes.count > header,
      let secret = LedgerSecret(bytes[Self.magic.count..<header])
    else { throw Failure(.data, "versions: offset 0: are not the versions of rows") }
    self.secret = secret
    rows = try ByteReader.read(bytes, from: header, whole: "versions") { reader throws(Failure) in
      let count = try reader.count(ofSize: 7, called: "rows")
      guard count <= StateBatch.rowLimit else { throw reader.failure("\(count) rows") }
      var rows: [(key: StateKey, version: RowVersion)] = []
      for _ in 0..<count {
        rows.append((try SeriesStateCoding.key(&reader), RowVersion(rawValue: try reader.number())))
      }
      return rows
    }
  }

  private static let magic = "FLV1".utf8
}
