import FirstlightIndexStore
import Glibc

/// A child process that reads an index store, and what comes from it.
final class IndexChild {
  private let process: pid_t
  private let pipe: Int32
  /// Received and not yet used, from `start` on.
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// Whether it sent all.
  private(set) var isDone = false

  /// - Parameter send: starts the child; gives its process id and the pipe, or -1 and errno.
  init?(_ send: (UnsafeMutablePointer<Int32>) -> pid_t) {
    var pipe: Int32 = -1
    process = send(&pipe)
    self.pipe = pipe
    buffer = .allocate(byteCount: 1 << 20, alignment: 8)
    if process < 0 { return nil }
  }

  deinit {
    buffer.deallocate()
    guard process > 0 else { return }
    close(pipe)
    fl_index_end(process)
  }

  /// The next frame; nil when there is no other. It is valid until the next call.
  func next() -> IndexFrame? {
    let head = MemoryLayout<fl_index_frame>.size
    guard !isDone, receive(head) else { return nil }
    let frame = buffer.loadUnaligned(fromByteOffset: start, as: fl_index_frame.self)
    guard frame.size <= FL_INDEX_LARGEST_FRAME, receive(head + Int(frame.size)) else { return nil }
    let first = start + head
    start = first + Int(frame.size)
    if frame.kind == FL_INDEX_END.rawValue {
      isDone = true
      return nil
    }
    return IndexFrame(
      kind: frame.kind, UnsafeRawBufferPointer(rebasing: buffer[first..<start]))
  }

  /// Waits until so many bytes are there. Returns false if they do not come.
  private func receive(_ size: Int) -> Bool {
    if end - start >= size { return true }
    if buffer.count < size {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 8)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
      buffer.deallocate()
      buffer = larger
    } else if start > 0 {
      memmove(buffer.baseAddress!, buffer.baseAddress! + start, end - start)
    }
    end -= start
    start = 0
    while end < size {
      let count = read(pipe, buffer.baseAddress! + end, buffer.count - end)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      end += count
    }
    return true
  }
}
