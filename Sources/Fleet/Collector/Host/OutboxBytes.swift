import FirstlightModel
import FleetAPI
import FleetModel

/// The two forms in which batches wait: plain for a store of this host; for an upstream compressed, without
/// paths of files.
enum OutboxBytes {
  /// The most bytes that a batch of this host inflates to.
  static let limit = 256 << 20

  static func plain(_ batch: [UInt8]) throws(Failure) -> [UInt8] {
    Deflate.isCompressed(batch) ? try Deflate.inflate(batch, limit: limit) : batch
  }

  /// A plain batch in the form for an upstream: one that was made when this host had a store of its own.
  /// - Throws: `.data` if it is no batch.
  static func travelling(_ batch: [UInt8]) throws(Failure) -> [UInt8] {
    try Deflate.compress(FleetBatch.rewritten(batch) { $0.withoutPaths() }.bytes)
  }
}
