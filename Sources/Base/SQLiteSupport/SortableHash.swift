/// A hash as a column holds it: hashes are unsigned, SQLite's integers are not; shifted, they sort the
/// same.
package enum SortableHash {
  package static func column(_ hash: UInt64) -> Int64 { Int64(bitPattern: hash ^ (1 << 63)) }
  package static func hash(_ column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ (1 << 63) }
}
