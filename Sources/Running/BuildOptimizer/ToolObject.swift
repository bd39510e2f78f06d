import Building
import FirstlightModel
import LinkerFormats
import SystemSupport

/// The object files that are linked into users' programs, made from this tool's own.
enum ToolObject {
  /// Writes the object file for a program that touches these pages.
  ///
  /// - Throws: `Failure` of kind `unavailable` if the tool's file is not installed.
  static func write(prefetching ranges: [Range<UInt32>], to target: String) throws(Failure) {
    try write(.prefetch, to: target) { PrefetchObject.bytes(archive: $0, ranges: ranges) }
  }

  /// Writes the object file with which a Swift program answers conformance look-ups from a table.
  ///
  /// - Throws: `Failure` of kind `unavailable` if the tool's file is not installed.
  static func write(_ table: ConformanceTable, to target: String) throws(Failure) {
    try write(.conformances, to: target) { ConformancesObject.bytes(archive: $0, table: table) }
  }

  /// The linker's flags with which the object file of conformances at a path takes over the runtime's calls.
  static func linkerWords(conformances object: String) -> [String] {
    ConformancesObject.wrapped.map { "--wrap=\($0)" } + [object]
  }

  private static func write(
    _ library: ToolLibrary, to target: String, _ bytes: ([UInt8]) -> [UInt8]?
  ) throws(Failure) {
    let path = try library.find()
    guard let object = bytes(try FileContents.bytes(of: path)) else {
      throw Failure(.data, "\(path): from another version", advice: library.advice)
    }
    try ResultFile.write(object, to: target)
  }
}
