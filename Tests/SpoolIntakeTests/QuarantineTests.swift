import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import SpoolIntake

@Suite struct QuarantineTests {
  private let files: TemporaryDirectory

  init() throws { files = try TemporaryDirectory() }

  private func quarantine(bytes: Int = 1 << 30, files limit: Int = 1000) -> Quarantine {
    Quarantine(path: files.url.path, bytesLimit: bytes, filesLimit: limit)
  }

  private static func stem(_ number: Int) -> String { "\(number)-77000-0000000000000abc" }

  /// Puts a file and its reason there.
  /// - Parameter at: when the reason was written, seconds since 1970.
  private func put(_ stem: String, _ suffix: String, at: Double, size: Int = 1) throws {
    try files.write(String(repeating: "x", count: size), to: stem + suffix)
    let reason = try files.write("reason\n", to: stem + ".reason")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: at)], ofItemAtPath: reason)
  }

  @Test(
    arguments: [
      ("4321-77000-0000000000000abc.process", "4321-77000-0000000000000abc"),
      ("4321-77000-0000000000000abc.marks", "4321-77000-0000000000000abc"),
      ("4321-77000-0000000000000abc.ready", "4321-77000-0000000000000abc"),
      ("4321-77000-0000000000000abc-12.segment", "4321-77000-0000000000000abc"),
      ("4321-77000-0000000000000abc.reason", "4321-77000-0000000000000abc"),
      ("batch-7-1700000000250-3.flb", nil), ("notes.reason", nil), ("4321-77000-abc.process", nil),
      ("lock", nil),
    ] as [(String, String?)])
  func filesAreToldApartByName(name: String, stem: String?) {
    #expect(Quarantine.stem(ofFile: name) == stem)
  }

  @Test func whoHasMostLosesTheOldest() throws {
    for number in 1...5 {
      try put(Self.stem(number), ".process", at: 1_700_000_000 + Double(number))
    }
    // 10 files: three recordings have to go until 4 are left.
    let removed = quarantine(files: 5).trim()
    #expect(
      removed
        == (1...3).map { "\(Self.stem($0)): of user \(geteuid()), from the quarantine" })
    #expect(files.entries.count == 4)
    #expect(files.entries.filter { $0.hasSuffix(".process") }.count == 2)
    #expect(files.entries.contains(Self.stem(4) + ".reason"))
  }

  @Test func aLimitOfBytesIsKeptToo() throws {
    for number in 1...4 {
      try put(Self.stem(number), ".process", at: 1_700_000_000 + Double(number), size: 65536)
    }
    // Room for two and a little more, so for their reasons too.
    let removed = quarantine(bytes: 150_000).trim()
    #expect(removed.count == 2)
    #expect(
      files.entries.filter { $0.hasSuffix(".process") }
        == [3, 4].map { Self.stem($0) + ".process" })
  }

  @Test func filesOfOthersStay() throws {
    try files.write("x", to: "notes.txt")
    try put(Self.stem(1), ".process", at: 1_700_000_000)
    #expect(quarantine(files: 0).trim().count == 1)
    #expect(files.entries == ["notes.txt"])
  }

  /// Others could leave gigabytes under that name.
  @Test func theFileThatSaysReadyGoesWithTheOthers() throws {
    try put(Self.stem(1), ".process", at: 1_700_000_000)
    try files.write(String(repeating: "x", count: 1 << 20), to: Self.stem(1) + ".ready")
    #expect(quarantine(bytes: 1 << 19).trim().count == 1)
    #expect(files.entries.isEmpty)
  }
}
