import FirstlightModel
import Foundation

/// JSON for programs: sorted keys, and the same bytes for the same values.
package enum JSONForm {
  /// For files and terminals: with line breaks, including a final one.
  ///
  /// - Throws: `Failure` of kind `data` if JSON cannot represent a value, such as NaN.
  package static func pretty(_ value: some Encodable) throws(Failure) -> String {
    String(decoding: try data(value, [.prettyPrinted]), as: UTF8.self) + "\n"
  }

  /// On one line, for programs.
  ///
  /// - Throws: like `pretty`.
  package static func compact(_ value: some Encodable) throws(Failure) -> String {
    String(decoding: try data(value, []), as: UTF8.self)
  }

  private static func data(
    _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
  ) throws(Failure) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
    do { return try encoder.encode(value) } catch {
      throw Failure(.data, "cannot be written as JSON: \(error)")
    }
  }
}
