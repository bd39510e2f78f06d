import FirstlightModel
import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct DeflateTests {
  private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  /// Oracle: Python's zlib.
  @Test func compressedBytesAreAZlibStream() throws {
    let directory = try TemporaryDirectory()
    let compressed = try Deflate.compress(bytes)
    #expect(compressed.count < bytes.count / 4)
    try Data(compressed).write(to: directory.url.appending(path: "stream"))
    try Data(bytes).write(to: directory.url.appending(path: "plain"))
    try Command.check(
      [
        "python3", "-c",
        "import zlib; assert zlib.decompress(open('stream', 'rb').read()) == open('plain', 'rb').read()",
      ], in: directory.url)
    #expect(try Deflate.inflate(compressed, limit: bytes.count) == bytes)
  }

  @Test func streamsThatBecomeTooLargeOrEndEarlyAreRefused() throws {
    let compressed = try Deflate.compress(bytes)
    for (stream, limit) in [
      (compressed, bytes.count - 1), (Array(compressed.dropLast(9)), bytes.count),
      (Array("no stream".utf8), 100), ([], 100),
    ] {
      let failure = #expect(throws: Failure.self) { try Deflate.inflate(stream, limit: limit) }
      #expect(failure?.kind == .data)
    }
  }
}
