import DebugInfo
import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport
import TraceReader

/// Reads the compiler's counters of a binary with the toolchain's llvm-profdata and llvm-cov.
package struct CounterTools {
  /// The contents of the counter files of one binary.
  package struct Reading {
    package var functions: [CountedFunction] = []
    /// Files that are damaged or cut off.
    package var unreadable: Set<String> = []
    /// A warning of the tools; nil if there was none.
    package var warning: String?
  }

  /// Folders with both tools: as PATH has them, beside the compilers, and LLVM's installations, newest first.
  private let folders: [String]

  /// - Throws: `Failure` of kind `unavailable` if there are none.
  package init() throws(Failure) {
    let compilers = ["llvm-profdata", "swift", "clang", "rustc"].compactMap { name in
      (try? ProgramPath.find(name)).flatMap(AbsolutePath.resolved).flatMap(AbsolutePath.folder)
    }
    let installed = ((try? DirectoryListing.names(in: "/usr/lib")) ?? [])
      .filter { $0.begins(with: "llvm-") }
      .sorted { (Int($0.dropFirst(5)) ?? 0, $0) > (Int($1.dropFirst(5)) ?? 0, $1) }
      .map { "/usr/lib/\($0)/bin" }
    folders = (compilers + installed).filter {
      access("\($0)/llvm-profdata", X_OK) == 0 && access("\($0)/llvm-cov", X_OK) == 0
    }
    if folders.isEmpty {
      throw Failure(
        .unavailable, "llvm-profdata and llvm-cov: not found on PATH or beside the compiler",
        advice: "put the bin folder of the compiler that counted on PATH")
    }
  }

  /// Reads counters that processes of one binary left.
  ///
  /// - Parameters:
  ///   - files: raw, indexed or text profiles.
  ///   - binary: the path of the executable or library that ran.
  ///   - seen: the coverage of each counted function.
  /// - Throws: `Failure` of kind `data` if no file can be read, or the binary lacks LLVM's coverage mapping.
  package func read(
    _ files: [String], of binary: String, seen: GuardCoverage
  ) throws(Failure) -> Reading {
    let folder = try SpoolDirectory()
    defer { folder.remove() }
    // The tools take an empty file for one that counted nothing.
    let whole = files.filter { !FileStart.bytes(of: $0).isEmpty }
    let missing = Reading(unreadable: Set(files).subtracting(whole))
    guard !whole.isEmpty else { return missing }
    let list = "\(folder.path)/files"
    try ResultFile.write(whole.map { $0 + "\n" }.joined(), to: list)
    return try withTools { tools throws(Failure) in
      var reading = missing
      let (data, text) = ("\(folder.path)/data", "\(folder.path)/text")
      let warnings = try run(
        "\(tools)/llvm-profdata", ["merge", "-failure-mode=all", "-f", list, "-o", data])
      for line in warnings {
        for file in whole where line.containsUTF8(file) { reading.unreadable.insert(file) }
      }
      let said = try run(
        "\(tools)/llvm-cov", ["export", "-format=lcov", "-instr-profile=\(data)", binary], to: text,
        advice: "build all of \(binary) with the flags of firstlight flags --counters")
      if let line = said.first(where: { $0.containsUTF8("mismatched data") }) {
        let isMarked = line.begins(with: "warning: ")
        reading.warning = "llvm-cov: \(isMarked ? line.dropFirst("warning: ".count) : line[...])"
      }
      let functions = try CoverageExport.functions(in: text)
      try run("\(tools)/llvm-profdata", ["show", "--all-functions", data], to: text)
      let called = try EntryCounts.called(in: text)
      let names = functions.map { CounterName($0.name) }
      let demangled = Demangler.demangle(names.map(\.linkerName))
      reading.functions = zip(zip(functions, names), demangled).map { pair, demangled in
        let (function, name) = pair
        return CountedFunction(
          name: name.linkerName, demangledName: demangled,
          module: Demangler.swiftModule(of: name.linkerName, demangled: demangled),
          file: function.file, line: function.line, isLocal: !name.file.isEmpty,
          seen: function.isCalled || called.contains(function.name) ? seen : GuardCoverage())
      }
      return reading
    }
  }

  /// The build ids of the binaries that a profile was recorded of. Empty if the profile does not say: its binaries
  /// had none, or it is a text.
  package func binaryIDs(of profile: String) throws(Failure) -> Set<String> {
    let lines = try withTools { tools throws(Failure) in
      try run("\(tools)/llvm-profdata", ["show", "--binary-ids", profile])
    }
    return Set(lines.drop { !$0.begins(with: "Binary IDs:") }.dropFirst().filter { !$0.isEmpty })
  }

  /// A profile as text.
  package func text(of profile: String) throws(Failure) -> [UInt8] {
    let folder = try SpoolDirectory()
    defer { folder.remove() }
    let text = "\(folder.path)/text"
    _ = try withTools { tools throws(Failure) in
      try run("\(tools)/llvm-profdata", ["merge", "--text", profile, "-o", text])
    }
    return try FileContents.argument(text)
  }

  /// The answer of the first tools that can give it. Older ones may know only some of the formats.
  private func withTools<Answer>(
    _ ask: (String) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    var first: Failure?
    for folder in folders {
      do throws(Failure) { return try ask(folder) } catch { first = first ?? error }
    }
    throw first!
  }

  /// - Returns: what a tool printed, without what went to `output`.
  @discardableResult
  private func run(
    _ program: String, _ words: [String], to output: String? = nil,
    advice: String = "put the bin folder of the compiler that counted on PATH"
  ) throws(Failure) -> [String] {
    var file: ProgramLog?
    if let output { file = try ProgramLog(output) }
    let tool = ProgramCommand(
      [program] + words, environment: ["LC_ALL": "C"], output: file, log: try ProgramLog())
    let status = try tool.run("reading counters")
    let lines = tool.log.start(1 << 20).lines.filter { !$0.isEmpty }.map(String.init)
    guard status.exitStatus == 0 else {
      let reason = lines.first { $0.begins(with: "error:") } ?? lines.last ?? "it failed"
      throw Failure(
        .data, "\(BaseName.of(program)) cannot read counters: \(reason)", advice: advice)
    }
    return lines
  }
}
