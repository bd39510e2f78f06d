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
      .filter { $0.hasPrefix("llvm-") }
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
  ///   - files: raw or indexed profiles.
  ///   - binary: the path of the executable or library that ran.
  ///   - seen: the coverage of each counted function.
  /// - Throws: `Failure` of kind `data` if no file can be read, or the binary lacks LLVM's coverage mapping.
  package func read(
    _ files: [String], of binary: String, seen: GuardCoverage
  ) throws(Failure) -> Reading {
    let folder = try SpoolDirectory()
    defer { folder.remove() }
    var reading = Reading()
    // The tools take an empty file for one that counted nothing.
    let whole = files.filter { !FileStart.bytes(of: $0).isEmpty }
    reading.unreadable = Set(files).subtracting(whole)
    guard !whole.isEmpty else { return reading }
    let (list, data, text) = ("\(folder.path)/files", "\(folder.path)/data", "\(folder.path)/text")
    try ResultFile.write(whole.map { $0 + "\n" }.joined(), to: list)
    let (tools, warnings) = try merge(list, into: data)
    for line in warnings {
      for file in whole where line.contains(file) { reading.unreadable.insert(file) }
    }
    let exported = try run(
      "\(tools)/llvm-cov", ["export", "-format=lcov", "-instr-profile=\(data)", binary], to: text)
    guard exported.isFine else {
      throw Failure(
        .data,
        "\(binary): llvm-cov cannot read its counters: \(exported.lines.first ?? "it failed")",
        advice: "build all of it with the flags of firstlight flags --counters")
    }
    reading.warning = exported.lines.first { $0.contains("mismatched data") }
    let functions = try LCOVFile.functions(in: text)
    let shown = try run("\(tools)/llvm-profdata", ["show", "--all-functions", data], to: text)
    guard shown.isFine else {
      throw Failure(
        .data, "llvm-profdata cannot show counters: \(shown.lines.first ?? "it failed")")
    }
    let called = try EntryCounts.called(in: text)
    let names = functions.map { Self.linkerName($0.name) }
    for ((function, name), demangled) in zip(zip(functions, names), Demangler.demangle(names)) {
      reading.functions.append(
        CountedFunction(
          name: name, demangledName: demangled,
          module: Demangler.swiftModule(of: name, demangled: demangled), file: function.file,
          line: function.line, isLocal: name != function.name,
          seen: function.count > 0 || called.contains(function.name) ? seen : GuardCoverage()))
    }
    return reading
  }

  /// Merges files with the first tools that know their format.
  private func merge(
    _ list: String, into data: String
  ) throws(Failure) -> (folder: String, warnings: [String]) {
    var first: String?
    for folder in folders {
      let merged = try run(
        "\(folder)/llvm-profdata", ["merge", "-failure-mode=all", "-f", list, "-o", data])
      if merged.isFine { return (folder, merged.lines) }
      first = first ?? merged.lines.last
    }
    throw Failure(
      .data, "llvm-profdata cannot read counters: \(first ?? "it failed")",
      advice: "put the bin folder of the compiler that counted on PATH")
  }

  private func run(
    _ program: String, _ words: [String], to output: String? = nil
  ) throws(Failure) -> (isFine: Bool, lines: [String]) {
    let command =
      ([program] + words).map(Escaping.shellWord).joined(separator: " ")
      + (output.map { " >\(Escaping.shellWord($0))" } ?? "")
    let shell = ShellCommand(command, environment: ["LC_ALL": "C"], log: try ProgramLog())
    let status = try shell.run("reading counters")
    return (
      status.exitStatus == 0, shell.log.start(1 << 20).split(separator: "\n").map(String.init)
    )
  }

  /// Names that are local to a file follow the file's name and a colon or semicolon.
  private static func linkerName(_ name: String) -> String {
    let end = name.lastIndex { $0 == ":" || $0 == ";" }
    return end.map { String(name[name.index(after: $0)...]) } ?? name
  }
}
