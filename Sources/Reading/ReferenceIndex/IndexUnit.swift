import FirstlightIndexStore

/// What one compilation put into an index: a source file and the records about it.
package struct IndexUnit: Hashable, Sendable {
  /// What the compiler saw in one file.
  package struct Record: Hashable, Sendable {
    package var name: String
    /// The file it is about: the main file, or a header.
    package var file: String

    package init(name: String, file: String) {
      self.name = name
      self.file = file
    }
  }

  package var name: String
  /// Absolute; empty if it has none, as modules.
  package var mainFile: String
  /// Swift module; empty in other languages.
  package var module: String
  /// The object file.
  package var outputFile: String
  /// When it was written: nanoseconds since 1970.
  package var time: Int
  package var isSystem: Bool
  /// Without those of the system's headers.
  package var records: [Record]

  package init(
    name: String, mainFile: String, module: String, outputFile: String, time: Int,
    isSystem: Bool = false, records: [Record]
  ) {
    self.name = name
    self.mainFile = mainFile
    self.module = module
    self.outputFile = outputFile
    self.time = time
    self.isSystem = isSystem
    self.records = records
  }

  init(_ frame: inout IndexFrame) throws(IndexFrame.Damaged) {
    let flags = try frame.number()
    let seconds = UInt64(try frame.number()) | UInt64(try frame.number()) << 32
    let nanoseconds = Int(try frame.number())
    time = Int(truncatingIfNeeded: seconds) &* 1_000_000_000 &+ nanoseconds
    isSystem = flags & FL_INDEX_UNIT_IS_SYSTEM.rawValue != 0
    name = try frame.text()
    mainFile = try frame.text()
    module = try frame.text()
    outputFile = try frame.text()
    let folder = try frame.text()
    func absolute(_ path: String) -> String {
      path.isEmpty ? path : SourcePath.normal(path.hasPrefix("/") ? path : folder + "/" + path)
    }
    mainFile = absolute(mainFile)
    outputFile = absolute(outputFile)
    records = []
    for _ in 0..<(try frame.count(ofSize: 12)) {
      let name = try frame.bytes()
      let file = try frame.bytes()
      // Most are the system's headers.
      guard try frame.number() == 0 else { continue }
      records.append(
        Record(
          name: String(decoding: name, as: UTF8.self),
          file: absolute(String(decoding: file, as: UTF8.self))))
    }
  }
}
