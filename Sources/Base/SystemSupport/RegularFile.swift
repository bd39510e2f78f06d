import FirstlightModel
import Glibc

/// A regular file, open for reading. Every file whose name comes from a folder, from debug information or from another
/// user is opened here: opening a pipe waits, reading a device may never end, and some devices act when they are opened,
/// such as a watchdog.
///
/// The file is never mapped, since another process may truncate it at any time.
package struct RegularFile: ~Copyable {
  /// The path in messages.
  package let name: String
  /// User id of the owner.
  package let owner: UInt32
  private let descriptor: CInt

  /// Opens a file.
  /// - Parameters:
  ///   - directory: Descriptor of the directory that `path` is relative to, or `AT_FDCWD`.
  ///   - path: Path of the file, relative to `directory`.
  ///   - name: The path in messages; nil: `path`.
  ///   - followsLinks: Whether `path` may be a symbolic link.
  /// - Throws: `.noInput` if the file does not exist, may not be read, or is not regular.
  package init(
    directory: CInt = AT_FDCWD, path: String, name: String? = nil, followsLinks: Bool
  ) throws(Failure) {
    self.name = name ?? path
    do throws(SystemError) {
      let opened = try Self.open(path, in: directory, followsLinks: followsLinks)
      (descriptor, owner) = (opened.descriptor, opened.status.st_uid)
    } catch {
      throw Failure(.noInput, "\(self.name): cannot be opened: \(error.text)")
    }
  }

  /// Opens a file for reading; the caller closes the descriptor. A file of another kind is the error `EINVAL`.
  package static func open(
    _ path: String, in directory: CInt = AT_FDCWD, followsLinks: Bool = true
  ) throws(SystemError) -> (descriptor: CInt, status: stat) {
    // A descriptor of the place alone shows the kind of file without opening it.
    let flags = onlyPlace | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    let place = openat(directory, path, flags)
    guard place >= 0 else { throw SystemError(code: errno) }
    defer { close(place) }
    var status = stat()
    guard fstat(place, &status) == 0 else { throw SystemError(code: errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw SystemError(code: ELOOP, text: "a symbolic link, not a regular file")
    case S_IFDIR: throw SystemError(code: EISDIR, text: "not a regular file")
    default: throw SystemError(code: EINVAL, text: "not a regular file")
    }
    // Some files of /proc wait for data.
    let file = Glibc.open(
      "/proc/self/fd/\(place)", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(code: errno) }
    return (file, status)
  }

  /// O_PATH, which <fcntl.h> declares only for GNU sources; the value is the same on x86-64 and arm64.
  static let onlyPlace: CInt = 0o10_000_000

  deinit { close(descriptor) }

  /// Copies bytes from `offset` on into `buffer`.
  /// - Returns: The number of copied bytes, less than the buffer's size only at the file's end.
  /// - Throws: `.inputOutput` if the read fails.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Failure)
    -> Int
  {
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

  /// Bytes from `offset` on, fewer at the file's end: it may become shorter or longer meanwhile.
  package func bytes(count: Int, at offset: Int = 0) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      do throws(Failure) {
        size = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The next offset with data, if the file system reports holes; nil if only a hole follows.
  package func nextData(from offset: Int) -> Int? {
    let next = lseek(descriptor, off_t(offset), Self.seekData)
    if next >= 0 { return Int(next) }
    // For any error except "no more data", read everything.
    return errno == ENXIO ? nil : offset
  }

  /// SEEK_DATA, which Glibc does not export: lseek(2), <linux/fs.h>.
  private static let seekData: CInt = 3

  /// Size of the file on disk, bytes.
  package func allocatedSize() throws(Failure) -> Int {
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
