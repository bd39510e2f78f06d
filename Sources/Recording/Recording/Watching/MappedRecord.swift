import FirstlightModel
import Glibc
import SystemSupport

/// A file of a recording, mapped into memory: a store into it survives the end of this process.
///
/// It is made under a name that readers skip, and gets its own when its header is complete. Its space is allocated
/// before it is mapped, because a store without space would end this process.
struct MappedRecord: ~Copyable {
  private let descriptor: Int32
  private(set) var bytes: UnsafeMutableRawBufferPointer

  /// - Parameters:
  ///   - folder: the recording's directory.
  ///   - hidden: a name that begins with a dot.
  ///   - header: the first bytes.
  ///   - size: bytes.
  /// - Throws: `.cannotCreate`.
  init(
    in folder: Int32, _ name: String, hidden: String, header: UnsafeRawBufferPointer, size: Int
  ) throws(Failure) {
    let opened = openat(folder, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw Self.failure(name, errno) }
    do throws(SystemError) {
      let memory = try Self.map(opened, size)
      memory.copyMemory(from: header)
      guard renameat(folder, hidden, folder, name) == 0 else {
        let error = errno
        munmap(memory.baseAddress, size)
        throw SystemError(code: error)
      }
      (descriptor, bytes) = (opened, memory)
    } catch {
      unlinkat(folder, hidden, 0)
      close(opened)
      throw Self.failure(name, error.code)
    }
  }

  deinit {
    munmap(bytes.baseAddress, bytes.count)
    close(descriptor)
  }

  /// Makes the file larger.
  ///
  /// - Returns: whether there was room.
  mutating func grow(to size: Int) -> Bool {
    guard let memory = try? Self.map(descriptor, size) else { return false }
    munmap(bytes.baseAddress, bytes.count)
    bytes = memory
    return true
  }

  private static func map(
    _ descriptor: Int32, _ size: Int
  ) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    let error = posix_fallocate(descriptor, 0, off_t(size))
    guard error == 0 else { throw SystemError(code: error) }
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { throw SystemError(code: errno) }
    return UnsafeMutableRawBufferPointer(start: memory, count: size)
  }

  private static func failure(_ name: String, _ error: Int32) -> Failure {
    Failure(.cannotCreate, "\(name): cannot be created: \(ErrorText.of(error))")
  }
}
