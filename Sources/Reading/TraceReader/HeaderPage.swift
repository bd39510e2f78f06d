import FirstlightABI
import FirstlightModel

/// The first page of a runtime file: a C struct whose every field is untrusted.
///
/// `Layout` is the struct; key paths name its fields, so that value and offset always agree. The
/// caller owns the bytes, which must outlive this value.
struct HeaderPage<Layout> {
  /// The file's name in messages.
  let name: String
  private let bytes: UnsafeRawBufferPointer

  /// Reads the page from the front of a file.
  /// - Throws: `.data` if there are fewer bytes than a header has.
  init(_ bytes: UnsafeRawBufferPointer, name: String) throws(Failure) {
    guard bytes.count >= MemoryLayout<Layout>.size else {
      throw Failure(
        .data,
        "\(name): offset \(bytes.count): file ends within its header, expected \(MemoryLayout<Layout>.size) bytes of it"
      )
    }
    self.name = name
    self.bytes = UnsafeRawBufferPointer(rebasing: bytes[..<MemoryLayout<Layout>.size])
  }

  /// The offset of a field from the file's start, bytes.
  func offset<Value>(of field: KeyPath<Layout, Value>) -> Int {
    guard let offset = MemoryLayout<Layout>.offset(of: field) else {
      preconditionFailure("a field of a C struct is stored")
    }
    return offset
  }

  /// A field's value when the page was copied.
  func value<Value: BitwiseCopyable>(_ field: KeyPath<Layout, Value>) -> Value {
    bytes.loadUnaligned(fromByteOffset: offset(of: field), as: Value.self)
  }

  /// An error about a field: file, offset and problem.
  func failure<Value>(
    _ field: KeyPath<Layout, Value>, _ problem: String, advice: String = ""
  ) -> Failure {
    Failure(.data, "\(name): offset \(offset(of: field)): \(problem)", advice: advice)
  }

  /// Checks a field.
  /// - Throws: `.data` with `problem` if `condition` is false.
  func require<Value>(
    _ condition: Bool, _ field: KeyPath<Layout, Value>, _ problem: @autoclosure () -> String
  ) throws(Failure) {
    if !condition { throw failure(field, problem()) }
  }

  /// The used part of an array of bytes.
  /// - Throws: `.data` if `size` exceeds the array.
  func content<Value>(
    of field: KeyPath<Layout, Value>, size: KeyPath<Layout, UInt32>, called noun: String
  ) throws(Failure) -> UnsafeRawBufferPointer {
    let used = value(size)
    let limit = MemoryLayout<Value>.size
    try require(used <= limit, size, "\(noun) size is \(used), expected at most \(limit)")
    let start = offset(of: field)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(used)])
  }

  /// A path; bytes that are not UTF-8 become U+FFFD.
  /// - Throws: `.data` if its size exceeds the array or it contains a NUL.
  func path<Value>(
    _ field: KeyPath<Layout, Value>, size: KeyPath<Layout, UInt32>
  ) throws(Failure) -> String {
    let content = try content(of: field, size: size, called: "path")
    if let nul = content.firstIndex(of: 0) {
      throw Failure(.data, "\(name): offset \(offset(of: field) + nul): path contains a NUL byte")
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// A boolean field.
  /// - Throws: `.data` if it is neither 0 nor 1.
  func flag(_ field: KeyPath<Layout, UInt32>, called noun: String) throws(Failure) -> Bool {
    let value = value(field)
    try require(value <= 1, field, "\(noun) is \(value), expected 0 or 1")
    return value == 1
  }

  /// A time in nanoseconds, small enough to subtract from safely.
  /// - Throws: `.data` if it is 2^63 or more.
  func time(_ field: KeyPath<Layout, UInt64>, called noun: String) throws(Failure) -> UInt64 {
    let value = value(field)
    try require(
      value <= latestTime, field, "\(noun) is \(value) ns, expected at most \(latestTime)")
    return value
  }

  /// Checks the common start of every runtime file.
  /// - Throws: `.data` for another kind of file, or an unknown version.
  func requireFormat(
    magic: KeyPath<Layout, UInt64>, is expected: UInt64, called noun: String,
    version: KeyPath<Layout, UInt32>, headerSize: KeyPath<Layout, UInt32>
  ) throws(Failure) {
    guard value(magic) == expected else {
      throw failure(
        magic, "is not a \(noun): starts with 0x\(hex(value(magic))), expected 0x\(hex(expected))")
    }
    let written = value(version)
    guard written == FL_ABI_VERSION else {
      throw failure(
        version, "\(noun) has version \(written), this reader knows version \(FL_ABI_VERSION)",
        advice: "use the firstlight version of the runtime that wrote it")
    }
    let size = value(headerSize)
    try require(
      size == FL_HEADER_SIZE, headerSize, "header size is \(size), expected \(FL_HEADER_SIZE)")
  }
}

/// The latest valid time of a file, nanoseconds: 292 years of clock.
let latestTime = UInt64(Int64.max)

/// A number in lower-case hexadecimal digits.
func hex(_ value: UInt64) -> String { String(value, radix: 16) }

extension ProcessID {
  /// The identity in the runtime's form.
  init(_ raw: fl_process_id) {
    self.init(pid: raw.pid, namespace: raw.pid_namespace, start: raw.start, key: raw.key)
  }
}
