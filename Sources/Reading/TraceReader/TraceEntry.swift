import FirstlightModel

/// A process with files in a directory, known only from their names.
package struct TraceEntry: Hashable, Sendable {
  /// The process without its namespace, which file names omit.
  package var process: ProcessID
  /// Numbers of the segments, rising.
  package var segments: [UInt32]

  /// Whether it has a file of marks.
  var hasMarks: Bool = false

  /// Numbers of the segments whose image has a file of counters, rising.
  package var counters: [UInt32] = []

  /// The process of a file with this name; nil for names that no recorder writes.
  package static func process(ofFile name: String) -> ProcessID? { FileName(name)?.process }

  /// The common beginning of the process's file names.
  package var stem: String { process.description }

  package var processFile: String { FileName.name(of: process, .process) }

  /// Names of the files of counters, in which forked children count, too.
  package var counterFiles: [String] {
    counters.map { FileName.name(of: process, .counters($0)) }
  }

  /// Names of the files that the process maps while it runs.
  package var mappedFiles: [String] {
    segments.map { FileName.name(of: process, .segment($0)) }
      + counterFiles
      + (hasMarks ? [FileName.name(of: process, .marks)] : []) + [processFile]
  }

  /// Suffix of the empty file that a process creates when it is ready. Such a file alone does not
  /// count as a process.
  package static let readySuffix = ".ready"

  /// All possible file names. The process file comes last, so it exists as long as any other does.
  package var files: [String] {
    [stem + Self.readySuffix, FileName.name(of: process, .marks)]
      + segments.map { FileName.name(of: process, .segment($0)) }
      + counterFiles + [processFile]
  }
}
