import CElfutils
import FirstlightModel
import Glibc
import SystemSupport

/// A file's contents, mapped or copied for the life of this object. Zeros follow, so that a text at
/// the end of the file is terminated.
///
/// If the file becomes shorter, reading the lost part ends the process (SIGBUS). `checkUnchanged` finds out before.
package final class MappedFile: @unchecked Sendable {
  // The mapping is private, and only libdw writes to it (see DWARFHandle).
  let path: String
  let bytes: Bytes
  private let mapping: UnsafeMutableRawPointer?
  private let state: FileState
  /// The original file, if this is a copy.
  private let source: MappedFile?

  /// Fails with `.noInput` if the file cannot be read, `.data` if it is not a regular file.
  convenience init(path: String) throws(Failure) {
    let file: CInt
    do { file = try RegularFile.open(path).descriptor } catch {
      throw Failure(
        error.code == EINVAL ? .data : .noInput, "\(path): cannot be opened (\(error.text))",
        advice: [EINVAL, EISDIR].contains(error.code)
          ? "use an ELF executable or shared library" : "")
    }
    defer { close(file) }
    try self.init(descriptor: file, name: path)
  }

  /// Maps a file that is open for reading; the caller keeps the descriptor.
  /// - Parameter name: the file's name in messages.
  /// - Throws: as `init(path:)`.
  package init(descriptor file: CInt, name path: String) throws(Failure) {
    self.path = path
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw Failure(.noInput, "\(path): cannot be read (\(ErrorText.of(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(
        status.st_mode & S_IFMT == S_IFDIR ? .noInput : .data, "\(path): not a regular file",
        advice: "use an ELF executable or shared library")
    }
    state = FileState(status)
    source = nil
    guard status.st_size > 0 else {
      bytes = .empty
      mapping = nil
      return
    }
    // One page more than the file, since a file may end at the end of a page.
    let size = Int(status.st_size)
    let access = PROT_READ | PROT_WRITE
    guard
      let memory = mmap(
        nil, size + Self.pageSize, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      memory != MAP_FAILED
    else {
      throw Failure(.noInput, "\(path): cannot be mapped (\(ErrorText.of(errno)))")
    }
    guard mmap(memory, size, access, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED else {
      let reason = ErrorText.of(errno)
      munmap(memory, size + Self.pageSize)
      throw Failure(.noInput, "\(path): cannot be mapped (\(reason))")
    }
    mapping = memory
    bytes = Bytes(base: UnsafeRawPointer(memory), count: size)
  }

  /// The contents, valid within `body`.
  package func withContents<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    withExtendedLifetime(self) {
      body(UnsafeRawBufferPointer(start: bytes.base, count: bytes.count))
    }
  }

  /// Memory with an inflated part of a file, followed by zeros.
  /// - Throws: `.noInput` if there is not enough memory.
  init(copyOf part: Bytes, of source: MappedFile) throws(Failure) {
    path = source.path
    self.source = source
    state = source.state
    let size = part.count
    guard
      let memory = mmap(
        nil, size + Self.pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else {
      throw Failure(.noInput, "\(path): cannot be copied (\(ErrorText.of(errno)))")
    }
    memcpy(memory, part.base, part.count)
    mapping = memory
    bytes = Bytes(base: UnsafeRawPointer(memory), count: size)
  }

  /// libelf's handle on the contents, which must outlive it.
  func openELF() -> OpaquePointer? {
    let memory = UnsafeMutablePointer(mutating: bytes.base.assumingMemoryBound(to: CChar.self))
    return elf_version(UInt32(EV_CURRENT)) == 0 ? nil : elf_memory(memory, bytes.count)
  }

  /// Whether a descriptor refers to the same file, unchanged.
  func isOpen(at descriptor: CInt) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && FileState(status) == state
  }

  /// Releases the memory of a part; a later access reads it from the file again. Memory outside
  /// this file stays, such as libdw's inflated sections, and so does a copy.
  func release(_ part: Bytes) {
    guard source == nil, part.base >= bytes.base, part.base + part.count <= bytes.base + bytes.count
    else {
      return
    }
    let page = UInt(Self.pageSize)
    let start = (UInt(bitPattern: part.base) + page - 1) & ~(page - 1)
    let end = (UInt(bitPattern: part.base) + UInt(part.count)) & ~(page - 1)
    guard start < end, let memory = UnsafeMutableRawPointer(bitPattern: start) else { return }
    madvise(memory, Int(end - start), MADV_DONTNEED)
  }

  deinit {
    if let mapping { munmap(mapping, bytes.count + Self.pageSize) }
  }

  private static let pageSize = Int(HostInfo.pageSize)

  /// Fails with `.data` if the file was truncated or written to since it was opened: the data then
  /// mixes two states of the file. A replaced file does not matter.
  func checkUnchanged() throws(Failure) {
    if let source { return try source.checkUnchanged() }
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    let now = FileState(status)
    guard now == state || now.place != state.place else {
      throw Failure(
        .data, "\(path): changed while it was being read",
        advice: "wait until it is complete, then run the command again")
    }
  }
}
