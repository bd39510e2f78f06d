import FirstlightModel

/// A process that has files in a directory, as their names tell it.
package struct TraceEntry: Hashable, Sendable {
  /// Without its namespace, which names don't have.
  package var process: ProcessID
  /// The numbers of its segments, rising.
  package var segments: [UInt32]

  package init(process: ProcessID, segments: [UInt32]) {
    self.process = process
    self.segments = segments
  }

  /// The process that a file of this name belongs to; nil for a name that no recorder writes.
  package static func process(ofFile name: String) -> ProcessID? { FileName(name)?.process }

  /// What all names of its files begin with.
  package var stem: String { process.description }

  package var processFile: String { FileName.name(of: process, .process) }

  /// All names its files may have. The process file comes last: as long as any is there, it is.
  package var files: [String] {
    [stem + ".ready", FileName.name(of: process, .marks)]
      + segments.map { FileName.name(of: process, .segment($0)) } + [processFile]
  }
}
