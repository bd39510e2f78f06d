import DebugInfo
import FirstlightModel
import SystemSupport
import TraceReader

/// Reads profiles of LLVM's instrumentation, each as a run of one binary.
package enum ImportedFiles {
  /// Leaves out files of other binaries, with a warning.
  ///
  /// - Parameter binary: the binary's path as the user gave it.
  /// - Throws: `Failure` if the binary or a file cannot be read, or no file is of the binary.
  package static func read(_ files: [String], of binary: String) throws -> ImportedProfile {
    let image = try DebugFiles.image(of: binary)
    guard image.hasSymbols else {
      throw Failure(
        .data, "\(binary): has no symbols",
        advice: "use the binary from before it was stripped")
    }
    let build = try image.sourceBuild(
      recordedPath: AbsolutePath.of(binary), usesGuards: !image.hasCounters)
    var imported = ImportedProfile(of: build, binary: binary)
    let tools = try LLVMProfileTool()
    let counted = try image.countedFunctions(recordedPath: build.path)
    var others: [String] = []
    for file in files {
      let ids = try tools.binaryIDs(of: file)
      // LLVM's runtime writes the build id of each binary that has one.
      if !ids.isEmpty, !ids.contains(build.buildID.description) {
        others.append("\(file): is of another binary, whose build id is \(ids.sorted()[0])")
        continue
      }
      let problem: String? =
        switch ids.count {
        case 0: "\(file): names no build; if it is of another one than \(binary), the list is wrong"
        case 1: nil
        case let binaries: "\(file): adds up \(binaries) binaries, by the names of functions"
        }
      let text = try tools.text(of: file)
      if let counted {
        try imported.add(file, counters: LLVMProfileFile.counted(in: text, file), of: counted.build)
        {
          counted.records(name: $0, code: $1)
        }
      } else {
        try imported.add(file, text: text)
      }
      if let problem {
        Terminal.report("warning: \(problem)")
        imported.note(problem)
      }
    }
    guard others.count < files.count else {
      throw Failure(
        .data, others[0],
        advice: "\(binary) never ran there, or is another build: its build id is \(build.buildID)")
    }
    for other in others { Terminal.report("warning: \(other); left out") }
    imported.finish()
    return imported
  }
}
