import FirstlightModel
import Glibc
import SystemSupport

/// Copies a file with its mode and its times.
enum FileCopy {
  static func copy(_ old: String, to new: String, _ status: stat) throws(Failure) {
    let source = open(old, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(old) }
    defer { close(source) }
    let target = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw failure(new) }
    defer { close(target) }
    guard copyBytes(source, target) else { throw failure(old) }
    fchmod(target, status.st_mode & 0o7777)
    let times = [status.st_atim, status.st_mtim]
    futimens(target, times)
  }

  private static func copyBytes(_ source: Int32, _ target: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
      while true {
        let count = read(source, room.baseAddress, room.count)
        if count == 0 { return true }
        if count < 0 {
          if errno == EINTR { continue }
          return false
        }
        let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
        guard (try? FileContents.write(bytes, to: target)) != nil else { return false }
      }
    }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.inputOutput, "\(path): cannot be copied: \(ErrorText.of(errno))")
  }
}
