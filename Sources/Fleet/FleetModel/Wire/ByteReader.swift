import FirstlightModel
import Glibc

/// Reads data in the format of `ByteWriter` from untrusted bytes.
///
/// The caller owns the bytes, which must outlive this value.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var at = 0
  /// Name of the bytes in failures.
  private let whole: String

  init(_ bytes: UnsafeRawBufferPointer, whole: String = "batch") {
    self.bytes = bytes
    self.whole = whole
  }

  /// Reads a value from all of some bytes.
  /// - Parameter start: offset of the first byte to read.
  static func read<Value>(
    _ bytes: [UInt8], from start: Int = 0, whole: String = "batch",
    _ body: (inout ByteReader) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[start...]), whole: whole)
        let value = try body(&reader)
        guard reader.rest == 0 else { throw reader.failure("goes on after its end") }
        return value
      }
    }.get()
  }

  var rest: Int { bytes.count - at }

  func failure(_ problem: String) -> Failure {
    Failure(.data, "\(whole): offset \(at): \(problem)")
  }

  @inline(__always)
  mutating func number() throws(Failure) -> UInt64 {
    // Most numbers take one byte.
    guard at < bytes.count, bytes[at] < 0x80 else { return try longNumber() }
    defer { at += 1 }
    return UInt64(bytes[at])
  }

  private mutating func longNumber() throws(Failure) -> UInt64 {
    if let number = LEB128.next(bytes, &at) { return number }
    throw failure("a number is cut off or too long")
  }

  /// A count of items that each take at least `size` bytes.
  mutating func count(ofSize size: Int, called noun: String) throws(Failure) -> Int {
    let number = try number()
    guard number <= UInt64(rest / size) else {
      throw failure("\(number) \(noun) cannot be in the \(rest) bytes that are left")
    }
    return Int(number)
  }

  mutating func fixed() throws(Failure) -> UInt64 {
    guard rest >= 8 else { throw failure("ends within a number") }
    defer { at += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  mutating func skip(_ count: Int) throws(Failure) {
    guard count >= 0, count <= rest else { throw failure("is cut off") }
    at += count
  }

  /// A number of seconds.
  mutating func double(called noun: String) throws(Failure) -> Double {
    let value = Double(bitPattern: try fixed())
    guard value.isFinite, abs(value) < 1e11 else { throw failure("\(noun) is not a valid time") }
    return value
  }

  mutating func text(limit: Int, called noun: String) throws(Failure) -> String {
    String(decoding: try textBytes(limit: limit, called: noun), as: UTF8.self)
  }

  /// UTF-8 text without NUL, as in C.
  mutating func checkedText(limit: Int, called noun: String) throws(Failure) -> String {
    let bytes = try textBytes(limit: limit, called: noun)
    let hasNUL = bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    guard !hasNUL, let text = String(validating: bytes, as: UTF8.self) else {
      throw failure("\(noun) is not text")
    }
    return text
  }

  /// As `ByteWriter.build`.
  mutating func build() throws(Failure) -> BuildKey {
    let text = try text(limit: 200, called: "build id")
    guard let buildID = BuildID(text) else { throw failure("\"\(text)\" is not a build id") }
    let number = try number()
    guard let recorder = Recorder(number: number) else { throw failure("\(number) is no recorder") }
    return BuildKey(buildID: buildID, recorder: recorder)
  }

  private mutating func textBytes(
    limit: Int, called noun: String
  ) throws(Failure) -> UnsafeRawBufferPointer {
    let length = try count(ofSize: 1, called: "bytes of text")
    guard length <= limit else {
      throw failure("\(noun) has \(length) bytes, at most \(limit) are allowed")
    }
    defer { at += length }
    return UnsafeRawBufferPointer(rebasing: bytes[at..<at + length])
  }

  /// Rising numbers below `end`.
  /// - Parameter limit: the most numbers.
  mutating func rising(
    below end: Int, atMost limit: Int = .max, called noun: String
  ) throws(Failure) -> [UInt32] {
    let count = try count(ofSize: 1, called: noun)
    guard count <= min(end, limit) else {
      throw failure("\(count) \(noun), at most \(min(end, limit)) are counted")
    }
    var values: [UInt32] = []
    values.reserveCapacity(count)
    var next: UInt64 = 0
    for place in 0..<count {
      let step = try number()
      next = next &+ step
      guard next < UInt64(end), step > 0 || place == 0 else {
        throw failure("\(noun) are not rising or not below \(end)")
      }
      values.append(UInt32(next))
    }
    return values
  }
}
