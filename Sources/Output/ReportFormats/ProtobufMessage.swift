import FirstlightModel

/// The bytes of a protobuf message (protobuf.dev, "Encoding"): varints, and fields behind their length.
struct ProtobufMessage {
  private(set) var bytes: [UInt8] = []

  /// Adds a number; 0 is the default and needs no bytes.
  mutating func add(_ field: UInt64, _ number: UInt64) {
    guard number != 0 else { return }
    LEB128.append(field << 3, to: &bytes)
    LEB128.append(number, to: &bytes)
  }

  /// Adds a repeated number in its packed form.
  mutating func add(_ field: UInt64, packed numbers: [UInt64]) {
    var packed: [UInt8] = []
    for number in numbers { LEB128.append(number, to: &packed) }
    add(field, packed)
  }

  /// Adds a text, even an empty one: elements of a repeated field count.
  mutating func add(_ field: UInt64, _ text: String) { add(field, Array(text.utf8)) }

  mutating func add(_ field: UInt64, _ fill: (inout ProtobufMessage) -> Void) {
    var message = ProtobufMessage()
    fill(&message)
    add(field, message.bytes)
  }

  private mutating func add(_ field: UInt64, _ content: [UInt8]) {
    LEB128.append(field << 3 | 2, to: &bytes)
    LEB128.append(UInt64(content.count), to: &bytes)
    bytes += content
  }
}
