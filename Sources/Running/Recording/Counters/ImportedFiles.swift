import DebugInfo
import FirstlightModel
import SystemSupport
import TraceReader

/// Reads coverage files of other tools, each as a run of one binary.
package enum ImportedFiles {
  /// - Parameter binary: the binary's path as the user gave it.
  /// - Throws: `Failure` if the binary or a file cannot be read, or they do not fit together.
  package static func read(
    _ files: [String], as format: CoverageFormat, of binary: String
  ) throws -> ImportedProfile {
    let image = try DebugFiles.image(of: binary)
    guard image.hasSymbols else {
      throw Failure(
        .data, "\(binary): has no symbols",
        advice: "use the binary from before it was stripped")
    }
    let path = AbsolutePath.of(binary)
    let isCounted = format == .llvm && image.hasCounters
    let build =
      switch format {
      case .sancov: try image.sanitizedBuild(recordedPath: path)
      case .lcov, .llvm: try image.sourceBuild(recordedPath: path, usesGuards: !isCounted)
      }
    var imported = ImportedProfile(format, of: build, binary: binary)
    let tools = isCounted ? try CounterTools() : nil
    for file in files {
      if let tools {
        try imported.add(countersOf: file) {
          let reading = try tools.read([file], of: binary, seen: $0)
          if let warning = reading.warning { Terminal.report("warning: \(file): \(warning)") }
          return reading.functions
        }
      } else {
        try imported.add(file)
      }
    }
    imported.finish()
    return imported
  }
}
