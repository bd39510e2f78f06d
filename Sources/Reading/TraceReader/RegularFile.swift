import FirstlightModel
import Glibc

/// A regular file, open for reading: never a link, pipe or device. It is never mapped, since
/// another process may truncate it at any time.
package struct RegularFile: ~Copyable {
  /// The path in messages.
  let name: String
  /// User id of the owner.
  let owner: UInt32
  private let descriptor: CInt

  /// Opens a file.
  /// - Parameters:
  ///   - directory: Descriptor of the directory that `path` is relative to, or `AT_FDCWD`.
  ///   - path: Path of the file, relative to `directory`.
  ///   - name: The path in messages.
  /// - Throws: `.noInput` if the file does not exist, may not be read, or is not regular.
  package init(directory: CInt = AT_FDCWD, path: String, name: String) throws(Failure) {
    // With O_NONBLOCK, opening a pipe without a writer does not wait.
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
  /// - Returns: The number of copied bytes, less than the buffer's size only at the file's end.
  /// - Throws: `.inputOutput` if the read fails.
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

  /// The first bytes, in a file that may become shorter or longer meanwhile.
  package func bytes(count: Int) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      do throws(Failure) {
        size = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The next offset with data, if the file system reports holes; nil if only a hole follows.
  func nextData(from offset: Int) -> Int? {
    let next = lseek(descriptor, off_t(offset), Self.seekData)
    if next >= 0 { return Int(next) }
    // For any error except "no more data", read everything.
    return errno == ENXIO ? nil : offset
  }

  /// SEEK_DATA, which Glibc does not export: lseek(2), <linux/fs.h>.
  private static let seekData: CInt = 3

  /// Size of the file on disk, bytes.
  func allocatedSize() throws(Failure) -> Int {
    Int(try status().st_blocks) * 512
  }

  /// The file's current size, bytes.
  /// - Throws: `.inputOutput` if fstat fails.
  package func size() throws(Failure) -> Int { Int(try status().st_size) }

  private func status() throws(Failure) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      throw Failure(.inputOutput, "\(name): cannot be examined: \(ErrorText.of(code))")
    }
    return status
  }
}

/// Limits on reading one process's files, for readers of untrusted files.
package struct ReadLimits: Sendable {
  package var segments: Int
  /// Limit on the first calls of all segments.
  package var firstCalls: Int
  /// Whether to read marks.
  package var readsMarks: Bool

  package init(segments: Int, firstCalls: Int, readsMarks: Bool) {
    self.segments = segments
    self.firstCalls = firstCalls
    self.readsMarks = readsMarks
  }

  /// Reads everything.
  package static let none = ReadLimits(segments: .max, firstCalls: .max, readsMarks: true)
}
