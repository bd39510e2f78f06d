import FirstlightModel
import SystemSupport

/// Reads the file in which a process counts: a raw profile of LLVM (compiler-rt, `InstrProfData.inc`). Of each function
/// only the first counter is read, which counts its calls.
///
/// Time is linear in the file's data, and memory in a sixty-fourth of the counters, whatever the header claims. The
/// process may count meanwhile.
package enum CountersFile {
  /// The most functions of an image.
  static let mostRecords = 1 << 20
  /// The most functions of all images of a process.
  static let mostRecordsOfProcess = 1 << 22
  /// The most counters of an image: one for each branch.
  static let mostCounters = 1 << 26

  /// - Parameter build: of the image; nil if it has no id.
  /// - Throws: `.data` if the file is cut off, damaged, or of another build; it names the offset where there is one.
  static func read(
    _ file: borrowing RegularFile, of build: BuildID?
  ) throws(Failure) -> CountedRecords {
    let start = try file.bytes(count: RawProfile.longestStart)
    let profile = try start.withUnsafeBytes { bytes in
      Result { () throws(Failure) in
        try RawProfile(bytes, size: try file.size(), of: build, name: file.name)
      }
    }.get()
    var counting = Counting(profile)
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: partSize, alignment: 16)
    defer { part.deallocate() }
    var at = profile.counters.lowerBound
    while at < profile.counters.upperBound {
      // Holes have no counts.
      guard let next = file.nextData(from: at) else { break }
      at += max(0, next - at) & ~7
      let bytes = try Self.part(of: file, at, profile.counters, part)
      counting.addCounters(bytes, at: at)
      at += bytes.count
    }
    at = profile.records.lowerBound
    while at < profile.records.upperBound {
      guard let next = file.nextData(from: at), next <= at else {
        throw Failure(.data, "\(file.name): offset \(at): its records are missing")
      }
      let bytes = try Self.part(of: file, at, profile.records, part)
      try counting.addRecords(bytes)
      at += bytes.count
    }
    return counting.counted
  }

  /// Reads a profile from memory.
  /// - Throws: as `read`.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, of build: BuildID?, name: String
  ) throws(Failure) -> CountedRecords {
    let profile = try RawProfile(bytes, size: bytes.count, of: build, name: name)
    var counting = Counting(profile)
    counting.addCounters(
      UnsafeRawBufferPointer(rebasing: bytes[profile.counters]), at: profile.counters.lowerBound)
    try counting.addRecords(UnsafeRawBufferPointer(rebasing: bytes[profile.records]))
    return counting.counted
  }

  /// A multiple of the sizes of counters and records.
  private static let partSize = 192 << 10

  /// The bytes of a range from an offset on, at most `partSize`.
  private static func part(
    of file: borrowing RegularFile, _ at: Int, _ range: Range<Int>,
    _ part: UnsafeMutableRawBufferPointer
  ) throws(Failure) -> UnsafeRawBufferPointer {
    let wanted = UnsafeMutableRawBufferPointer(
      rebasing: part[..<min(partSize, range.upperBound - at)])
    guard try file.read(into: wanted, at: at) == wanted.count else {
      throw Failure(.data, "\(file.name): offset \(at): became shorter while it was read")
    }
    return UnsafeRawBufferPointer(wanted)
  }
}

/// The parts of a raw profile.
private struct RawProfile {
  /// Bytes that have the header and the ids of the binaries.
  static let longestStart = 4096

  private let name: String
  let records: Range<Int>
  let recordSize: Int
  /// Run-time distance of the counters from the first record; records have their distances from themselves.
  let distance: UInt64
  let counters: Range<Int>

  /// The versions that are read. Version 8: LLVM 14 to 17; 9: LLVM 18; 10: LLVM 19 to 22, so Swift 6 and Rust.
  private static let versions: [UInt64: (words: Int, recordSize: Int, distance: Int)] = [
    8: (11, 48, 8), 9: (14, 64, 10), 10: (16, 64, 10),
  ]

  init(
    _ bytes: UnsafeRawBufferPointer, size: Int, of build: BuildID?, name: String
  ) throws(Failure) {
    self.name = name
    func word(_ index: Int) -> UInt64 {
      guard index * 8 + 8 <= bytes.count else { return 0 }
      return UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    func failure(_ at: Int, _ what: String) -> Failure {
      Failure(.data, "\(name): offset \(at): \(what)")
    }
    guard word(0) == 0xff6c_7072_6f66_7281 else {
      throw failure(0, size == 0 ? "is empty" : "is no raw profile of LLVM")
    }
    // The upper byte has variants, such as counters of one byte.
    guard let layout = Self.versions[word(1)] else {
      throw failure(
        8,
        "raw profile of version \(word(1) & 0xff_ffff)\(word(1) >> 24 > 0 ? ", a variant" : ""); "
          + "versions 8 to 10 are read")
    }
    recordSize = layout.recordSize
    distance = word(layout.distance)
    let limits = [(2, longestIDs), (3, CountersFile.mostRecords), (5, CountersFile.mostCounters)]
    for (index, most) in limits where word(index) > UInt64(most) {
      throw failure(index * 8, "\(word(index)), at most \(most) can be read")
    }
    // Continuous mode fills up pages.
    guard word(4) <= 1 << 20, word(2) % 8 == 0, word(4) % 8 == 0 else {
      throw failure(32, "its parts are not aligned")
    }
    let ids = layout.words * 8
    let first = ids + Int(word(2))
    records = first..<first + Int(word(3)) * layout.recordSize
    let start = records.upperBound + Int(word(4))
    counters = start..<start + Int(word(5)) * 8
    guard counters.upperBound <= size else {
      throw failure(size, "ends within its \(CountText.number(Int(word(5)))) counters")
    }
    if let build, !Self.hasID(build, in: bytes, ids..<first) {
      throw failure(ids, "is of another build than \(build)")
    }
  }

  private static func hasID(
    _ build: BuildID, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>
  ) -> Bool {
    var at = range.lowerBound
    while at + 8 <= range.upperBound {
      let size = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      guard size <= UInt64(range.upperBound - at - 8) else { return false }
      if BuildID(bytes: bytes[at + 8..<at + 8 + Int(size)]) == build { return true }
      at += 8 + (Int(size) + 7) & ~7
    }
    return false
  }

  func failure(ofRecord record: Int) -> Failure {
    Failure(
      .data,
      "\(name): offset \(records.lowerBound + record * recordSize): a counter outside the file"
    )
  }
}

private let longestIDs = RawProfile.longestStart - 128

/// Which functions of a profile ran.
private struct Counting {
  private let profile: RawProfile
  /// A bit for each counter above 0.
  private var isCounted: [UInt64]
  private var record = 0
  private(set) var counted: CountedRecords

  init(_ profile: RawProfile) {
    self.profile = profile
    isCounted = [UInt64](repeating: 0, count: (profile.counters.count / 8 + 63) / 64)
    counted = CountedRecords(count: profile.records.count / profile.recordSize)
  }

  /// - Parameter at: the offset of the first counter in the file.
  mutating func addCounters(_ bytes: UnsafeRawBufferPointer, at: Int) {
    let first = (at - profile.counters.lowerBound) / 8
    for place in 0..<bytes.count / 8
    where bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self) != 0 {
      isCounted[(first + place) >> 6] |= 1 << UInt64((first + place) & 63)
    }
  }

  /// - Parameter bytes: the next whole records.
  /// - Throws: `.data` if a record has no counter.
  mutating func addRecords(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    for at in stride(from: 0, to: bytes.count, by: profile.recordSize) {
      let own = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 16, as: UInt64.self))
      let offset = own &- profile.distance &+ UInt64(record * profile.recordSize)
      guard offset % 8 == 0, offset < UInt64(profile.counters.count) else {
        throw profile.failure(ofRecord: record)
      }
      let place = Int(offset / 8)
      if isCounted[place >> 6] >> UInt64(place & 63) & 1 != 0 { counted.note(record) }
      record += 1
    }
  }
}
