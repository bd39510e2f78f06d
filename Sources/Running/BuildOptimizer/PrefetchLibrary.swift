import Building
import FirstlightModel
import Foundation
import LinkerFormats
import SystemSupport

/// The tools' object file with which programs prefetch their pages.
struct PrefetchLibrary {
  private let archive: [UInt8]
  private let path: String

  /// Throws `.unavailable` if the file is not installed with the tool.
  init() throws(Failure) {
    path = try ToolLibrary.prefetch.find()
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    archive = Array(data)
  }

  /// Writes the object file for a program that touches these pages.
  func write(ranges: [Range<UInt32>], to target: String) throws(Failure) {
    guard let object = PrefetchObject.bytes(archive: archive, ranges: ranges) else {
      throw Failure(
        .data, "\(path): from another version", advice: ToolLibrary.prefetch.advice)
    }
    try ResultFile.write(object, to: target)
  }
}
