import FirstlightIndexStore
import FirstlightModel

/// What a child read, as it sent it. Nothing in it is trusted: what the child read can have made it
/// send anything.
struct IndexFrame {
  let kind: UInt32
  /// Valid until the next frame is read.
  private var rest: UnsafeRawBufferPointer

  init(kind: UInt32, _ bytes: UnsafeRawBufferPointer) {
    self.kind = kind
    rest = bytes
  }

  /// A frame does not hold what its kind must hold.
  struct Damaged: Error {}

  mutating func number() throws(Damaged) -> UInt32 {
    guard rest.count >= 4 else { throw Damaged() }
    let number = rest.loadUnaligned(as: UInt32.self)
    rest = UnsafeRawBufferPointer(rebasing: rest[4...])
    return number
  }

  /// A number of things that take so many bytes each at least.
  mutating func count(ofSize size: Int) throws(Damaged) -> Int {
    let count = Int(try number())
    guard count <= rest.count / size else { throw Damaged() }
    return count
  }

  /// Valid until the next frame is read.
  mutating func bytes() throws(Damaged) -> UnsafeRawBufferPointer {
    let size = Int(try number())
    let padded = (size + 3) / 4 * 4
    guard rest.count >= padded else { throw Damaged() }
    let bytes = UnsafeRawBufferPointer(rebasing: rest[..<size])
    rest = UnsafeRawBufferPointer(rebasing: rest[padded...])
    return bytes
  }

  mutating func text() throws(Damaged) -> String { String(decoding: try bytes(), as: UTF8.self) }
}
