/// The conformances of a Swift program's types to protocols, by the file's records.
package struct ConformancePairs: Hashable, Sendable {
  /// A pair for each record of `swift5_protocol_conformances`, in order: the offset of the type's descriptor
  /// from the first record in the high half, that of the protocol's in the low half; 0 if missing.
  package var pairs: [UInt64]

  package init(_ pairs: [UInt64]) { self.pairs = pairs }
}
