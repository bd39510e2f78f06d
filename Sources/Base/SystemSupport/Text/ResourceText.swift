/// A file that the build embedded in the program.
package enum ResourceText {
  /// - Parameter bytes: UTF-8.
  package static func of(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
