import DebugInfo
import FirstlightModel
import Ordering
import ProcessControl
import SystemSupport

/// The object files that are linked into users' programs, made from this tool's own.
enum ToolObject {
  /// Writes the object file for a program that touches these pages.
  ///
  /// - Throws: `Failure` of kind `unavailable` if the tool's file is not installed.
  static func write(prefetching ranges: [Range<UInt32>], to target: String) throws(Failure) {
    try write(.prefetch, to: target) { PrefetchObject.bytes(archive: $0, ranges: ranges) }
  }

  /// Writes the object file with which a Swift program answers conformance look-ups from an index.
  ///
  /// - Throws: `Failure` of kind `unavailable` if the tool's file is not installed.
  static func writeConformances(to target: String) throws(Failure) {
    try write(.conformances, to: target, ConformancesObject.bytes)
  }

  private static func write(
    _ library: ToolLibrary, to target: String, _ bytes: ([UInt8]) -> [UInt8]?
  ) throws(Failure) {
    let path = try library.find()
    let archive: [UInt8]
    do { archive = try FileContents.read(path) } catch {
      throw Failure(.noInput, "\(path): \(error.text)")
    }
    guard let object = bytes(archive) else {
      throw Failure(.data, "\(path): from another version", advice: library.advice)
    }
    try ResultFile.write(object, to: target)
  }
}
