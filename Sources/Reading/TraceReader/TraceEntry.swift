import FirstlightModel

/// A process that has files in a directory, as far as their names show.
package struct TraceEntry: Hashable, Sendable {
  /// Without its namespace, which names don't have.
  package var process: ProcessID
  /// The numbers of its segments, rising.
  package var segments: [UInt32]

  /// Whether it has a file of marks.
  package var hasMarks: Bool

  package init(process: ProcessID, segments: [UInt32], hasMarks: Bool = false) {
    self.process = process
    self.segments = segments
    self.hasMarks = hasMarks
  }

  /// The process that a file of this name belongs to; nil for a name that no recorder writes.
  package static func process(ofFile name: String) -> ProcessID? { FileName(name)?.process }

  /// What all names of its files begin with.
  package var stem: String { process.description }

  package var processFile: String { FileName.name(of: process, .process) }

  /// The names of those that the process maps as long as it runs.
  package var mappedFiles: [String] {
    segments.map { FileName.name(of: process, .segment($0)) }
      + (hasMarks ? [FileName.name(of: process, .marks)] : []) + [processFile]
  }

  /// What the name of the empty file ends with that a process makes when it is ready. Such a file alone is
  /// no sign of a process.
  package static let readySuffix = ".ready"

  /// All names its files may have. The process file comes last: as long as any is there, it is.
  package var files: [String] {
    [stem + Self.readySuffix, FileName.name(of: process, .marks)]
      + segments.map { FileName.name(of: process, .segment($0)) } + [processFile]
  }
}
