import DebugInfo
import FirstlightModel
import ProcessControl
import SymbolOrdering
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

/// The object file with a program's table of conformances, for builds that `optimize` does not make.
///
/// The table must not move the records that it describes. So the program is linked with an object file that has
/// room for it, and again with the table, which is made from the first link.
package enum ConformanceFile {
  package enum State: Sendable {
    /// The file has room for the table: the program had none, or not enough.
    case room
    /// The file has the table of the program as it was linked.
    case table
    /// The program has its table already.
    case held
  }

  /// Writes the object file that the next link of the program needs.
  ///
  /// - Returns: the file's state, and the number of records.
  /// - Throws: `Failure` of kind `data` if the program has no records, looks them up in a shared library, or is not
  ///   of Swift 6.0 to 6.3.
  package static func write(
    _ object: String, for binary: String
  ) throws(Failure) -> (state: State, records: Int) {
    let image = try DebugImage(path: binary, debugDirectories: [])
    guard let pairs = try image.conformancePairs(), !pairs.pairs.isEmpty else {
      throw Failure(
        .data, "\(binary): has no conformance records of its own runtime to make a table of",
        advice: "build it with --static-swift-stdlib, and do not strip it before")
    }
    let table = ConformanceTable(pairs)
    let present = image.bytes(ofSection: "firstlight_conformances")
    // Without the object file, the linker leaves out functions that only this file calls.
    if present != nil { try image.checkConformanceRuntime() }
    if present?.count != table.bytes.count {
      try ToolObject.write(ConformanceTable(sizeFor: pairs), to: object)
      return (.room, pairs.pairs.count)
    }
    try ToolObject.write(table, to: object)
    return (present == table.bytes ? .held : .table, pairs.pairs.count)
  }

  /// The flags of `swift build` that link a program with the object file.
  package static func flags(object: String) -> [String] {
    ToolObject.linkerWords(conformances: AbsolutePath.of(object)).flatMap { ["-Xlinker", $0] }
  }
}
