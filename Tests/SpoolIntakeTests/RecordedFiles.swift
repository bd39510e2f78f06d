import FirstlightModel
import FleetModel
import Foundation
import SystemSupport
import TestSupport

/// Recordings of processes that are no more: copies of Tests/Fixtures/segments under other names.
struct RecordedFiles {
  /// Above every pid that Linux hands out (PID_MAX_LIMIT, 4,194,304), and of our own pid namespace: the
  /// kernel says at once that there is no such process.
  static func process(_ number: UInt32) -> ProcessID {
    ProcessID(
      pid: 4_200_000 + number, namespace: ProcessTable.ownNamespace, start: 77_000 + UInt64(number),
      key: UInt64(number))
  }

  /// Of all recordings: its id is the bytes 1 to 20.
  static let build = BuildKey(
    buildID: BuildID("0102030405060708090a0b0c0d0e0f1011121314")!)

  let directory: TemporaryDirectory

  /// Leaves what a process leaves that has called all eight functions of `/usr/bin/example`.
  ///
  /// Offsets are those of `firstlight_abi.h`: fl_process_header.process is at 16, its forked_from at 64,
  /// fl_segment_header.process at 24.
  func leave(_ process: ProcessID, forkedFrom parent: ProcessID? = nil) throws {
    var segment = try Self.fixture("sound.segment")
    Self.set(process, at: 24, in: &segment)
    try segment.write(to: directory.url.appending(path: "\(process)-0.segment"))
    var page = try Self.fixture("sound.process")
    Self.set(process, at: 16, in: &page)
    if let parent {
      Self.set(parent, at: 64, in: &page)
      // It began later: fl_process_header.monotonic, 900 in the fixture.
      page.withUnsafeMutableBytes { $0.storeBytes(of: 950, toByteOffset: 48, as: UInt64.self) }
    }
    try page.write(to: directory.url.appending(path: "\(process).process"))
  }

  /// Leaves what the process counts: a raw profile of LLVM (version 10) with a counter for each function.
  func count(_ counters: [UInt64], of process: ProcessID) throws {
    let distance: UInt64 = 0x1000
    var words: [UInt64] = [
      0xff6c_7072_6f66_7281, 10, 32, UInt64(counters.count), 0, UInt64(counters.count), 0, 0, 0, 0,
      distance, 0, 0, 0, 0, 2, 20, 0x0807_0605_0403_0201, 0x100f_0e0d_0c0b_0a09, 0x1413_1211,
    ]
    for record in counters.indices {
      words += [UInt64(record), 7, distance - UInt64(record * 56), 0, 0, 0, 1, 0]
    }
    words += counters
    try words.withUnsafeBytes { Data($0) }.write(
      to: directory.url.appending(path: "\(process)-0.counters"))
  }

  private static func fixture(_ name: String) throws -> Data {
    try Data(contentsOf: Toolchain.project.appending(path: "Tests/Fixtures/segments/\(name)"))
  }

  private static func set(_ process: ProcessID, at offset: Int, in file: inout Data) {
    file.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: process.pid, toByteOffset: offset, as: UInt32.self)
      bytes.storeBytes(of: process.namespace, toByteOffset: offset + 4, as: UInt32.self)
      bytes.storeBytes(of: process.start, toByteOffset: offset + 8, as: UInt64.self)
      bytes.storeBytes(of: process.key, toByteOffset: offset + 16, as: UInt64.self)
    }
  }
}
