import DebugInfo
import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport
import TraceReader

/// Reads profiles of any of LLVM's formats with the toolchain's llvm-profdata.
struct LLVMProfileTool {
  /// Folders with the tool: as PATH has it, beside the compilers, and LLVM's installations, newest first.
  private let folders: [String]

  /// - Throws: `Failure` of kind `unavailable` if there are none.
  init() throws(Failure) {
    let compilers = ["llvm-profdata", "swift", "clang", "rustc"].compactMap { name in
      (try? ProgramPath.find(name)).flatMap(AbsolutePath.resolved).flatMap(AbsolutePath.folder)
    }
    let installed = ((try? DirectoryListing.names(in: "/usr/lib")) ?? [])
      .filter { $0.begins(with: "llvm-") }
      .sorted { (Int($0.dropFirst(5)) ?? 0, $0) > (Int($1.dropFirst(5)) ?? 0, $1) }
      .map { "/usr/lib/\($0)/bin" }
    folders = (compilers + installed).filter { access("\($0)/llvm-profdata", X_OK) == 0 }
    if folders.isEmpty {
      throw Failure(
        .unavailable, "llvm-profdata: not found on PATH or beside the compiler",
        advice: "put the bin folder of the compiler that counted on PATH")
    }
  }

  /// The build ids of the binaries that a profile was recorded of. Empty if the profile does not say: its binaries
  /// had none, or it is a text.
  func binaryIDs(of profile: String) throws(Failure) -> Set<TextBytes> {
    let lines = try withTools { tools throws(Failure) in
      try run("\(tools)/llvm-profdata", ["show", "--binary-ids", profile])
    }
    return Set(
      texts: lines.drop { !$0.begins(with: "Binary IDs:") }.dropFirst().filter { !$0.isEmpty })
  }

  /// A profile as text.
  func text(of profile: String) throws(Failure) -> [UInt8] {
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

  private func run(_ program: String, _ words: [String]) throws(Failure) -> [String] {
    let tool = ProgramCommand(
      [program] + words, environment: ["LC_ALL": "C"], log: try ProgramLog())
    let status = try tool.run("reading counters")
    let lines = tool.log.start(1 << 20).lines.filter { !$0.isEmpty }.map(String.init)
    guard status.exitStatus == 0 else {
      let reason = lines.first { $0.begins(with: "error:") } ?? lines.last ?? "it failed"
      throw Failure(
        .data, "\(BaseName.of(program)) cannot read counters: \(reason)",
        advice: "put the bin folder of the compiler that counted on PATH")
    }
    return lines
  }
}
