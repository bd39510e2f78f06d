import FirstlightModel
import Foundation
import TraceReader

/// A directory that is gone when the test is over.
final class SegmentDirectory {
  let path: String

  init() throws {
    var template = Array("\(NSTemporaryDirectory())/firstlight-reader-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ file: FileBytes, _ name: String) throws {
    try Data(file.bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  func write(process: FileBytes, of id: ProcessID = someProcess) throws {
    try write(process, "\(id).process")
  }

  func write(segment: FileBytes, _ number: Int, of id: ProcessID = someProcess) throws {
    try write(segment, "\(id)-\(number).segment")
  }

  func read() throws(Failure) -> TraceDirectory.Reading { try TraceDirectory(path: path).read() }
}
