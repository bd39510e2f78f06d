/// A file that was embedded in the program when it was built.
package enum ResourceText {
  /// - Parameter bytes: UTF-8.
  package static func of(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
