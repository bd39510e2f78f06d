import Glibc

/// Foreign text, equal and ordered by its UTF-8 bytes, as file systems, linkers and SQLite compare it. `String` compares
/// by canonical equality, so that two functions named `café`, composed and decomposed, are one key.
///
/// As a property wrapper it gives the same meaning to the synthesized `==` and `hash(into:)` of a struct.
@propertyWrapper
package struct TextBytes: Hashable, Comparable, Sendable {
  package var wrappedValue: String

  package init(wrappedValue: String) { self.wrappedValue = wrappedValue }
  package init(_ text: some StringProtocol) { wrappedValue = String(text) }

  package var text: String { wrappedValue }

  package static func == (one: TextBytes, other: TextBytes) -> Bool {
    one.text == other.text
  }

  package static func < (one: TextBytes, other: TextBytes) -> Bool {
    one.text.precedesInBytes(other.text)
  }

  package func hash(into hasher: inout Hasher) {
    text.withUTF8Bytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No UTF-8 text has this byte, so the texts of two properties cannot run together.
    hasher.combine(0xff as UInt8)
  }
}

extension TextBytes: ExpressibleByStringLiteral, CustomStringConvertible, Codable,
  CodingKeyRepresentable
{
  package init(stringLiteral text: String) { wrappedValue = text }

  package var description: String { text }

  package init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  package var codingKey: any CodingKey { TextKey(stringValue: text) }
  package init?(codingKey: some CodingKey) { wrappedValue = codingKey.stringValue }

  private struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension Dictionary where Key == TextBytes {
  package init<Text: StringProtocol>(
    texts pairs: some Sequence<(Text, Value)>, uniquingKeysWith combine: (Value, Value) -> Value
  ) {
    self.init(pairs.lazy.map { (TextBytes($0), $1) }, uniquingKeysWith: combine)
  }

  package subscript(_ text: some StringProtocol) -> Value? {
    get { self[TextBytes(text)] }
    set { self[TextBytes(text)] = newValue }
    _modify { yield &self[TextBytes(text)] }
  }

  package subscript(
    _ text: some StringProtocol, default value: @autoclosure () -> Value
  ) -> Value {
    get { self[TextBytes(text), default: value()] }
    _modify { yield &self[TextBytes(text), default: value()] }
  }

  @discardableResult
  package mutating func removeValue(forKey text: some StringProtocol) -> Value? {
    removeValue(forKey: TextBytes(text))
  }
}

extension Set where Element == TextBytes {
  package init(texts: some Sequence<some StringProtocol>) {
    self.init()
    for text in texts { insert(text) }
  }

  package func contains(_ text: some StringProtocol) -> Bool { contains(TextBytes(text)) }

  @discardableResult
  package mutating func insert(
    _ text: some StringProtocol
  ) -> (inserted: Bool, memberAfterInsert: TextBytes) {
    insert(TextBytes(text))
  }

  @discardableResult
  package mutating func remove(_ text: some StringProtocol) -> TextBytes? {
    remove(TextBytes(text))
  }
}

extension Sequence where Element: StringProtocol {
  /// The order of `LC_ALL=C sort`, and of SQLite.
  package func sortedByBytes() -> [Element] { sorted { $0.precedesInBytes($1) } }
}

extension StringProtocol {
  /// Whether this text comes first in the order of bytes.
  package func precedesInBytes(_ other: some StringProtocol) -> Bool {
    withUTF8Bytes { one in
      other.withUTF8Bytes { other in
        let common = Swift.min(one.count, other.count)
        let order = common == 0 ? 0 : memcmp(one.baseAddress!, other.baseAddress!, common)
        return order == 0 ? one.count < other.count : order < 0
      }
    }
  }
}
