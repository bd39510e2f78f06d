import FirstlightModel
import Glibc
import SystemSupport

extension ProfileFile {
  /// Reads a profile that was sent to us: by way of a file that is gone afterwards.
  ///
  /// - Throws: as `read(_:)`, and `Failure` of kind `cannotCreate`.
  package static func read(bytes: [UInt8]) throws(Failure) -> Profile {
    let directory = try SpoolDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/received.\(pathExtension)"
    guard let file = fopen(path, "we") else {
      throw Failure(.cannotCreate, "\(path): \(ErrorText.of(errno))")
    }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else {
      throw Failure(.cannotCreate, "\(path): \(ErrorText.of(errno))")
    }
    return try read(path)
  }
}
