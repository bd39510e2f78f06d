import FirstlightModel
import Foundation
import Inspection
import Testing

@Suite struct LineBatchesTests {
  private func words(_ text: String) throws -> [(Int, String)] {
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data(text.utf8))
    try pipe.fileHandleForWriting.close()
    var batches = LineBatches(file: pipe.fileHandleForReading.fileDescriptor)
    var found: [(Int, String)] = []
    while let batch = try batches.next() {
      found += zip(batch.lines, batch.words).map { ($0, String($1)) }
    }
    return found
  }

  @Test func linesKeepTheirNumbersWithoutBlanks() throws {
    let found = try words("0x10\n\n \t0x20 \r\nlast")
    #expect(found.map { $0.0 } == [1, 3, 4])
    #expect(found.map { $0.1 } == ["0x10", "0x20", "last"])
  }

  @Test func emptyInputIsNoLine() throws { #expect(try words("").isEmpty) }
}
