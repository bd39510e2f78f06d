import FirstlightModel
import Glibc

/// A regular file, open for reading: never a link, a pipe or a device, and never mapped, since
/// another process may cut it short at any moment.
struct RegularFile: ~Copyable {
  /// Path as messages name it.
  let name: String
  /// Numeric id of the user who owns it.
  let owner: UInt32
  private let descriptor: CInt

  /// Opens a file.
  /// - Parameters:
  ///   - directory: Descriptor of the directory `path` is relative to, or `AT_FDCWD`.
  ///   - path: What to open, relative to `directory`.
  ///   - name: The path as messages should name it.
  /// - Throws: `.noInput` if it is not there, may not be read, or is not a regular file.
  init(directory: CInt = AT_FDCWD, path: String, name: String) throws(Failure) {
    // O_NONBLOCK: opening a pipe without a writer must not wait.
    let opened = openat(directory, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else {
      let code = errno
      if code == ELOOP {
        throw Failure(.noInput, "\(name): is a symbolic link, expected a regular file")
      }
      throw Failure(.noInput, "\(name): cannot be opened: \(ErrorText.of(code))")
    }
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let code = errno
      close(opened)
      throw Failure(.noInput, "\(name): cannot be examined: \(ErrorText.of(code))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw Failure(.noInput, "\(name): is not a regular file")
    }
    self.name = name
    owner = status.st_uid
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// Copies bytes from `offset` on into `buffer`.
  /// - Returns: The number of bytes copied: less than the buffer's size only at the file's end.
  /// - Throws: `.inputOutput` if the system cannot read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Failure) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let got = pread(descriptor, base + done, buffer.count - done, off_t(offset + done))
      if got > 0 {
        done += got
      } else if got == 0 {
        break
      } else if errno != EINTR {
        let code = errno
        throw Failure(
          .inputOutput,
          "\(name): offset \(offset + done): cannot be read: \(ErrorText.of(code))")
      }
    }
    return done
  }

  /// The next offset with data, if the file system reports holes; nil if only a hole follows.
  func nextData(from offset: Int) -> Int? {
    let next = lseek(descriptor, off_t(offset), Self.seekData)
    if next >= 0 { return Int(next) }
    // Anything else than "no more data": read it all.
    return errno == ENXIO ? nil : offset
  }

  /// SEEK_DATA, which Glibc does not export: lseek(2), <linux/fs.h>.
  private static let seekData: CInt = 3

  /// What the file takes up on its disk, bytes.
  func allocatedSize() throws(Failure) -> Int {
    Int(try status().st_blocks) * 512
  }

  /// The file's size at this moment, bytes.
  /// - Throws: `.inputOutput` if the system gives no size.
  func size() throws(Failure) -> Int { Int(try status().st_size) }

  private func status() throws(Failure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      throw Failure(.inputOutput, "\(name): cannot be examined: \(ErrorText.of(code))")
    }
    return status
  }
}

/// How much of one process's files is read, for a reader that has no say in who leaves them.
package struct ReadLimits: Sendable {
  package var segments: Int
  /// Of all segments.
  package var firstCalls: Int
  /// Whether marks are wanted.
  package var readsMarks: Bool

  package init(segments: Int, firstCalls: Int, readsMarks: Bool) {
    self.segments = segments
    self.firstCalls = firstCalls
    self.readsMarks = readsMarks
  }

  /// All there is.
  package static let none = ReadLimits(segments: .max, firstCalls: .max, readsMarks: true)
}
