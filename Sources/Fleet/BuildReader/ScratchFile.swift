import FirstlightLauncher
import FirstlightModel
import FleetModel
import Glibc
import SystemSupport

/// A file without a name for received data. The file disappears with this object or the process.
package final class ScratchFile: Sendable {
  // Owned by this object.
  private let descriptor: CInt
  private let name: String

  /// - Parameter name: the file's name in messages.
  /// - Throws: `.unavailable` if it cannot be created.
  package init(called name: String) throws(Failure) {
    self.name = name
    let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    descriptor = fl_unnamed_file_in(folder ?? "/tmp")
    guard descriptor >= 0 else {
      throw Failure(
        .unavailable, "cannot create a file for \(name): \(ErrorText.of(errno))")
    }
  }

  deinit { close(descriptor) }

  /// - Throws: `.unavailable` if the disk is full.
  package func append(_ bytes: some Collection<UInt8>) throws(Failure) {
    let error =
      bytes.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes(write)
    if let error {
      throw Failure(.unavailable, "no space left for \(name): \(error.text)")
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> SystemError? {
    do throws(SystemError) {
      try FileContents.write(bytes, to: descriptor)
      return nil
    } catch { return error }
  }

  /// The written data, opened read-only.
  package func file() throws(Failure) -> BuildFile {
    let file = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw Failure(
        .unavailable, "\(name): cannot be reopened: \(ErrorText.of(errno))")
    }
    return try BuildFile(adopting: file, path: name)
  }
}
