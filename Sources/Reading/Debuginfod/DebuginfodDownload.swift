import FirstlightModel
import Glibc
import SystemSupport

/// A file of the cache while it comes in: under a name of its own until it is whole.
final class DebuginfodDownload {
  private let descriptor: CInt
  private let target: String
  private var temporary: String
  private var isWhole = false

  /// - Throws: `.cannotCreate` if there is no place for it.
  init(of build: BuildID, in cache: DebuginfodCache) throws(Failure) {
    try cache.makeFolder(of: build)
    target = cache.path(of: build)
    var template = Array("\(target).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    temporary = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    guard descriptor >= 0 else { throw Self.failure(target) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isWhole { unlink(temporary) }
  }

  /// - Throws: `.cannotCreate` if the disk is full.
  func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    do { try FileContents.write(bytes, to: descriptor) } catch {
      throw Self.failure(target, error.code)
    }
  }

  /// Gives it its name; another of the name is replaced.
  func finish() throws(Failure) {
    guard rename(temporary, target) == 0 else { throw Self.failure(target) }
    isWhole = true
  }

  private static func failure(_ path: String, _ code: CInt = errno) -> Failure {
    Failure(.cannotCreate, "\(path): cannot be written (\(ErrorText.of(code)))")
  }
}
