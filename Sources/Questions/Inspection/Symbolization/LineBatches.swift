import FirstlightModel
import Glibc

/// Reads all available lines from a file descriptor: a file in large pieces, a slow pipe line by line, so that
/// each line is answered at once.
package struct LineBatches {
  package struct Batch {
    /// The lines without surrounding white space; empty lines are skipped.
    package var words: [Substring]
    /// The line numbers, from 1.
    package var lines: [Int]
  }

  private let file: Int32
  private var rest: [UInt8] = []
  private var lineNumber = 0
  private var isAtEnd = false

  package init(file: Int32) { self.file = file }

  /// The next lines; nil at the end of the input.
  package mutating func next() throws(Failure) -> Batch? {
    while !isAtEnd {
      try fill()
      let end = isAtEnd ? rest.count : rest.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
      guard end > 0 else { continue }
      let batch = split(rest[..<end])
      rest.removeSubrange(..<end)
      if !batch.words.isEmpty { return batch }
    }
    return nil
  }

  private mutating func split(_ bytes: ArraySlice<UInt8>) -> Batch {
    var batch = Batch(words: [], lines: [])
    let text = String(decoding: bytes, as: UTF8.self)
    var start = text.utf8.startIndex
    while start < text.utf8.endIndex {
      let end = text.utf8[start...].firstIndex(of: 0x0a) ?? text.utf8.endIndex
      lineNumber += 1
      var line = text[start..<end]
      func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
      while isBlank(line.utf8.first) { line = line[line.utf8.index(after: line.startIndex)...] }
      while isBlank(line.utf8.last) { line = line[..<line.utf8.index(before: line.endIndex)] }
      if !line.isEmpty {
        batch.words.append(line)
        batch.lines.append(lineNumber)
      }
      start = end < text.utf8.endIndex ? text.utf8.index(after: end) : end
    }
    return batch
  }

  /// Waits for some bytes, then reads the rest of the available bytes, up to a limit.
  private mutating func fill() throws(Failure) {
    let pieceSize = 1 << 18
    repeat {
      let before = rest.count
      rest.append(contentsOf: repeatElement(0, count: pieceSize))
      let count = rest.withUnsafeMutableBytes { read(file, $0.baseAddress! + before, pieceSize) }
      let error = errno
      rest.removeLast(pieceSize - max(0, count))
      if count < 0 {
        if error == EINTR { continue }
        throw Failure(
          .inputOutput, "standard input: cannot be read (\(ErrorText.of(error)))")
      }
      if count == 0 { isAtEnd = true }
    } while !isAtEnd && rest.count < 1 << 24 && hasMore()
  }

  private func hasMore() -> Bool {
    var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }
}
