import FirstlightModel

/// Divides the evidence of a build and day by the program's version, and by labels of its operator,
/// such as `region=eu`.
///
/// Each combination has its own sums, so labels are for a few values, not for names of hosts or
/// users.
package struct FleetLabels: Hashable, Sendable {
  /// Empty if there is none.
  @TextBytes package var version: String
  /// Values are compared by bytes, as stores do. Keys are ASCII.
  private var values: [TextBytes: TextBytes] = [:]

  package var labels: [TextBytes: String] { values.mapValues(\.text) }

  /// Maximum number of labels beside the version.
  package static let limit = 8
  /// Maximum size of a key or value, bytes.
  static let lengthLimit = 128

  package init() {
    version = ""
  }

  /// Parses `KEY=VALUE`.
  /// - Throws: `.usage`.
  package static func pair(_ text: String) throws(Failure) -> (key: String, value: String) {
    guard let (key, value) = text.cut(at: "="), !key.isEmpty else {
      throw Failure(.usage, "label \"\(text)\" is not KEY=VALUE")
    }
    return (String(key), String(value))
  }

  /// - Parameter texts: each `KEY=VALUE`; the last one of a key counts.
  /// - Throws: `.usage` or `.data`.
  package init(texts: [String]) throws(Failure) {
    var pairs: [TextBytes: String] = [:]
    for text in texts {
      let pair = try Self.pair(text)
      pairs[pair.key] = pair.value
    }
    try self.init(pairs)
  }

  /// Labels by key; the key `version` is the program's version.
  /// - Throws: `.data` if there are too many labels, or a key or value is too long, empty or
  ///   contains forbidden characters.
  package init(_ pairs: [TextBytes: String]) throws(Failure) {
    version = ""
    for (key, value) in pairs {
      guard key != "", key.text.utf8.allSatisfy(Self.isKeyLetter),
        key.text.utf8.count <= Self.lengthLimit
      else {
        throw Failure(
          .data,
          "label key \"\(key)\" may contain only letters, digits, dots, dashes and underscores"
        )
      }
      guard !value.isEmpty, value.utf8.count <= Self.lengthLimit,
        value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
      else {
        throw Failure(
          .data, "label \(key) has a value that is empty, too long or not printable",
          advice: "use 1 to \(Self.lengthLimit) bytes of text")
      }
      if key == "version" { version = value } else { values[key] = TextBytes(value) }
    }
    guard values.count <= Self.limit else {
      throw Failure(.data, "too many labels: \(values.count), the limit is \(Self.limit)")
    }
  }

  /// The labels except the version in a canonical form: `k=v` joined by line feeds, sorted.
  package var text: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
  }

  /// Parses labels from their `text`; nil if it is invalid.
  package init?(version: String, text: String) {
    var pairs: [TextBytes: String] = version.isEmpty ? [:] : ["version": version]
    for line in text.split(at: "\n", omittingEmpty: true) {
      guard let (key, value) = line.cut(at: "=") else { return nil }
      pairs[key] = String(value)
    }
    guard let labels = try? FleetLabels(pairs) else { return nil }
    self = labels
  }

  private static func isKeyLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
    default: false
    }
  }
}
