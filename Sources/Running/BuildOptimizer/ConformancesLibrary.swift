import Building
import FirstlightModel
import Foundation
import LinkerFormats
import SystemSupport

/// The tools' object file with which Swift programs answer conformance look-ups from a table.
struct ConformancesLibrary {
  private let archive: [UInt8]
  private let path: String

  /// Throws `.unavailable` if the file is not installed with the tool.
  init() throws(Failure) {
    path = try ToolLibrary.conformances.find()
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(.noInput, "\(path): cannot be read")
    }
    archive = Array(data)
  }

  /// The linker's flags with which the object file at a path takes over the runtime's calls.
  static func linkerWords(_ object: String) -> [String] {
    ConformancesObject.wrapped.map { "--wrap=\($0)" } + [object]
  }

  func write(_ table: ConformanceTable, to target: String) throws(Failure) {
    guard let object = ConformancesObject.bytes(archive: archive, table: table) else {
      throw Failure(
        .data, "\(path): from another version", advice: ToolLibrary.conformances.advice)
    }
    try ResultFile.write(object, to: target)
  }
}
