import FirstlightModel
import Foundation
import LinkerFormats

/// The object file that comes with the tools and has programs prefetch their pages.
struct PrefetchLibrary {
  private let archive: [UInt8]
  private let path: String

  /// Fails with `.unavailable` if it is not beside the tool.
  init() throws(Failure) {
    path = try ToolLibrary.prefetch.find()
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    archive = Array(data)
  }

  /// Writes the object for a program that touches these pages.
  func write(ranges: [Range<UInt32>], to target: String) throws(Failure) {
    guard let object = PrefetchObject.bytes(archive: archive, ranges: ranges) else {
      throw Failure(
        .data, "\(path): from another version", advice: ToolLibrary.prefetch.advice)
    }
    let temporary = "\(target).\(getpid()).partial"
    guard FileManager.default.createFile(atPath: temporary, contents: Data(object)) else {
      throw Failure(
        .cannotCreate, "\(target): cannot write", advice: "choose another directory with -o")
    }
    try ResultDirectory.move(temporary, to: target)
  }
}
