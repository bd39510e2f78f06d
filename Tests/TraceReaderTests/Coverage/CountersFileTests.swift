import FirstlightModel
import Foundation
import TestSupport
import Testing
import TraceReader

extension FileBytes {
  /// A raw profile, from the fields of LLVM's InstrProfData.inc and nothing of the reader's.
  ///
  /// - Parameters:
  ///   - functions: the counters of each.
  ///   - reversed: whether the counters of the last function come first.
  static func counters(
    _ functions: [[UInt64]], version: UInt64 = 10, build: [UInt8] = Array(1...20),
    padding: Int = 0, reversed: Bool = false
  ) -> FileBytes {
    let recordSize = version == 8 ? 48 : 64
    let ids = 8 + (build.count + 7) / 8 * 8
    let count = functions.reduce(0) { $0 + $1.count }
    let distance = UInt64(bitPattern: -0x9000)
    var header = [
      0xff6c_7072_6f66_7281, version, UInt64(ids), UInt64(functions.count), UInt64(padding),
      UInt64(count), 0,
    ]
    switch version {
    case 8: header += [16, distance, 0, 1]
    case 9: header += [0, 0, 16, distance, 0, 0, 1]
    default: header += [0, 0, 16, distance, 0, 0, 0, 0, 2]
    }
    let records = header.count * 8 + ids
    let counters = records + functions.count * recordSize + padding
    var file = FileBytes(bytes: Array(repeating: 0, count: counters + count * 8 + 16))
    for (place, word) in header.enumerated() { file[place * 8, as: UInt64.self] = word }
    file[header.count * 8, as: UInt64.self] = UInt64(build.count)
    file.set(header.count * 8 + 8, build)
    var next = 0
    let order = reversed ? Array(functions.indices.reversed()) : Array(functions.indices)
    for place in order {
      let record = records + place * recordSize
      file[record, as: UInt64.self] = 0xabc0 + UInt64(place)  // hash of the name
      file[record + 8, as: UInt64.self] = 7  // hash of the code
      file[record + 16, as: UInt64.self] =
        distance &+ UInt64(next * 8) &- UInt64(place * recordSize)
      file[record + (version == 8 ? 40 : 48), as: UInt32.self] = UInt32(functions[place].count)
      for counter in functions[place] {
        file[counters + next * 8, as: UInt64.self] = counter
        next += 1
      }
    }
    return file
  }

  func parsedAsCounters(of build: [UInt8] = Array(1...20)) throws -> CountedRecords {
    try bytes.withUnsafeBytes {
      try CountersFile.parse($0, of: BuildID(bytes: build), name: "a.counters")
    }
  }
}

/// Whole files of real programs are read in CountedBuildTests.
@Suite struct CountersFileTests {
  private static let functions: [[UInt64]] =
    (0..<70).map { $0 % 3 == 0 ? [UInt64($0), 0] : [0, 9, 9] }

  /// A function ran if its first counter is above 0; others are of its branches.
  @Test(arguments: [8, 9, 10] as [UInt64], [false, true])
  func theFirstCounterDecides(version: UInt64, reversed: Bool) throws {
    for padding in [0, 8, 4096] {
      let file = FileBytes.counters(
        Self.functions, version: version, padding: padding, reversed: reversed)
      let counted = try file.parsedAsCounters()
      #expect(counted.count == 70)
      for record in 0..<70 {
        #expect(counted.contains(record) == (record % 3 == 0 && record > 0), "\(record)")
      }
    }
  }

  @Test func whatCannotBeReadIsRefusedWithItsOffset() throws {
    func problem(_ file: FileBytes, of build: [UInt8] = Array(1...20)) -> String {
      do {
        return "\(try file.parsedAsCounters(of: build))"
      } catch {
        return (error as? Failure)?.problem ?? "\(error)"
      }
    }
    let sound = FileBytes.counters(Self.functions)
    #expect(problem(FileBytes(bytes: [])) == "a.counters: offset 0: is empty")
    var other = sound
    other[0, as: UInt8.self] = 0
    #expect(problem(other) == "a.counters: offset 0: is no raw profile of LLVM")
    for version in [7, 11, 1 << 60 | 10] as [UInt64] {
      other = sound
      other[8, as: UInt64.self] = version
      #expect(problem(other).contains("offset 8: raw profile of version \(version & 0xff)"))
    }
    #expect(
      problem(sound, of: Array(2...21)).hasPrefix("a.counters: offset 128: is of another build"))
    other = sound
    other.resize(sound.bytes.count - 17)
    #expect(problem(other).contains("ends within its"))
    for (word, name) in [(2, "ids"), (3, "records"), (5, "counters")] {
      other = sound
      other[word * 8, as: UInt64.self] = .max
      #expect(problem(other).contains("offset \(word * 8): 18446744073709551615"), "\(name)")
    }
    let record = 128 + 32 + 3 * 64
    for distance in [8, 1] as [UInt64] {
      other = sound
      other[record + 16, as: UInt64.self] &-= 1 << 40 + distance
      #expect(problem(other) == "a.counters: offset \(record): a counter outside the file")
    }
  }

  /// Records or counters that a file only claims cost no time.
  @Test func holesAreNoRecords() throws {
    let directory = try SegmentDirectory()
    try directory.write(process: .process())
    try directory.write(segment: .segment(records: []), 0)
    var file = FileBytes.counters([[1]])
    file[24, as: UInt64.self] = 1 << 20
    file[40, as: UInt64.self] = 1 << 26
    file.resize(4096)
    let name = "\(someProcess)-0.counters"
    try directory.write(file, name)
    #expect(truncate("\(directory.path)/\(name)", 1 << 30) == 0)
    let reading = try directory.read()
    #expect(reading.traces.first?.losses.unreadableSegments == 1)
    #expect(reading.problems.map(\.problem).contains { $0.contains(name) })
  }

  @Test(arguments: 0..<50) func anyBytesAreCountedOrRefused(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    for _ in 0..<200 {
      var file = FileBytes.counters(Self.functions, version: [8, 9, 10][Int(seed % 3)])
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let offset = Int.random(in: 0..<320, using: &random)
        file.bytes[offset] = UInt8(truncatingIfNeeded: random.next())
      }
      if seed % 5 == 0 { file.resize(Int.random(in: 0...file.bytes.count, using: &random)) }
      do {
        let counted = try file.parsedAsCounters()
        #expect(counted.words.count == (counted.count + 63) / 64)
        #expect(counted.words.reduce(0) { $0 + $1.nonzeroBitCount } <= counted.count)
      } catch {
        #expect((error as? Failure)?.problem.hasPrefix("a.counters: offset ") == true)
      }
    }
  }
}
