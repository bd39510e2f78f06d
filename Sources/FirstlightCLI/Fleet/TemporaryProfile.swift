import FirstlightModel
import Glibc

/// A profile file that lives as long as one command needs it.
enum TemporaryProfile {
  /// A name for one in a directory of its own.
  /// - Throws: `.cannotCreate`.
  static func path() throws(Failure) -> String {
    try SpoolDirectory().path + "/fleet.flp"
  }

  static func write(_ bytes: [UInt8]) throws(Failure) -> String {
    let path = try path()
    guard let file = fopen(path, "we") else {
      throw Failure(.cannotCreate, "\(path): \(String(cString: strerror(errno)))")
    }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else {
      throw Failure(.cannotCreate, "\(path): \(String(cString: strerror(errno)))")
    }
    return path
  }

  static func remove(_ path: String) {
    unlink(path)
    rmdir(String(path.dropLast("/fleet.flp".count)))
  }
}
