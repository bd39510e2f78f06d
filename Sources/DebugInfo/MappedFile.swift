import FirstlightModel
import Glibc

/// A file's contents, mapped read-only for as long as this object lives.
public final class MappedFile: @unchecked Sendable {
  // The mapping is private, and written by libdw alone (see DWARFHandle).
  let path: String
  let bytes: Bytes

  /// Fails with `.noInput` if the file can't be read, `.data` if it isn't a regular file.
  convenience init(path: String) throws(Failure) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw Failure(.noInput, "\(path): cannot be opened (\(String(cString: strerror(errno))))")
    }
    defer { close(file) }
    try self.init(descriptor: file, name: path)
  }

  /// Maps a file that is open for reading; the descriptor stays the caller's.
  /// - Parameter name: what failures call it.
  /// - Throws: as `init(path:)`.
  public init(descriptor file: CInt, name path: String) throws(Failure) {
    self.path = path
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw Failure(.noInput, "\(path): cannot be read (\(String(cString: strerror(errno))))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(
        status.st_mode & S_IFMT == S_IFDIR ? .noInput : .data, "\(path): not a regular file",
        advice: "name an ELF executable or shared library")
    }
    guard status.st_size > 0 else {
      bytes = .empty
      return
    }
    let size = Int(status.st_size)
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0),
      memory != MAP_FAILED
    else {
      throw Failure(.noInput, "\(path): cannot be mapped (\(String(cString: strerror(errno))))")
    }
    bytes = Bytes(base: UnsafeRawPointer(memory), count: size)
  }

  /// Gives back the memory of a part that has been read: what is read again comes from the file again.
  /// What is no part of this file stays: libdw keeps inflated sections elsewhere.
  func release(_ part: Bytes) {
    guard part.base >= bytes.base, part.base + part.count <= bytes.base + bytes.count else {
      return
    }
    let page = UInt(sysconf(CInt(_SC_PAGESIZE)))
    let start = (UInt(bitPattern: part.base) + page - 1) & ~(page - 1)
    let end = (UInt(bitPattern: part.base) + UInt(part.count)) & ~(page - 1)
    guard start < end, let memory = UnsafeMutableRawPointer(bitPattern: start) else { return }
    madvise(memory, Int(end - start), MADV_DONTNEED)
  }

  deinit {
    if !bytes.isEmpty { munmap(UnsafeMutableRawPointer(mutating: bytes.base), bytes.count) }
  }
}
