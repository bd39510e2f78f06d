import FirstlightModel
import FleetAPI
import FleetModel

/// Batches of traces that an earlier version left on this host, plain or compressed.
enum EarlierBatch {
  /// The most bytes that one inflates to.
  private static let limit = 256 << 20

  static func plain(_ batch: [UInt8]) throws(Failure) -> [UInt8] {
    Deflate.isCompressed(batch) ? try Deflate.inflate(batch, limit: limit) : batch
  }

  /// - Throws: `.data` if it is no batch, or has a trace that cannot be counted.
  static func traces(_ batch: [UInt8]) throws(Failure) -> [FleetTrace] {
    try FleetBatch.countable(try plain(batch))
  }
}
