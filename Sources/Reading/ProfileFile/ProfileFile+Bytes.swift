import FirstlightModel
import SystemSupport

extension ProfileFile {
  /// Reads a profile that was sent to us: by way of a file that is gone afterwards.
  ///
  /// - Throws: as `read(_:)`, and `Failure` of kind `cannotCreate`.
  package static func read(bytes: [UInt8]) throws(Failure) -> Profile {
    let directory = try SpoolDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/received.\(pathExtension)"
    try ResultFile.write(bytes, to: path)
    return try read(path)
  }
}
