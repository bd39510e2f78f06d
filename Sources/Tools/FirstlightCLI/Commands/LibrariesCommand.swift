import ArgumentParser
import BinaryInspection
import DebugInfo
import FirstlightModel
import LibraryResolution
import ProfileFile
import ReportFormats
import StartupComparison
import SystemSupport
import TextFormatting

struct LibrariesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "libraries",
    abstract: "Shows the uses and start-up costs of a program's shared libraries.",
    discussion: """
        firstlight libraries .build/release/app
        firstlight record --no-rebuild -o app.flp -- .build/release/app
        firstlight libraries app.flp

      Resolves libraries and symbols as the loader does (RPATH, LD_LIBRARY_PATH, RUNPATH, \
      ld.so.cache, default directories), without running the program. For each library, shows the \
      binaries that need it, the symbols bound from it, its relocations and their pages, and its \
      initializers. Lists unused libraries.

      For a profile, also shows each library's first use, the time to map, relocate and \
      initialize it, libraries loaded with dlopen, and libraries not used before ready.

      Exit codes:
        0   resolved, whatever the findings
        65  not an executable, shared library or profile
        66  the file cannot be read

      Documentation/Libraries.md explains each number.
      """)

  @Argument(
    help: ArgumentHelp("The executable or shared library, or a profile.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(help: "Output format: text or json.")
  var format: TextOrJSON = .text

  func run() throws {
    let account = try Self.isProfile(file) ? recorded() : inFile()
    switch format {
    case .text:
      try Output.write(LibrariesText.text(account, demangle: { Demangler.demangle($0) }), to: nil)
    case .json: try Output.write(LibrariesJSON.text(account), to: nil)
    }
  }

  private func inFile() throws(Failure) -> LibraryReport {
    let facts = try Self.facts(file)
    var notes = Self.notes(facts)
    if !facts.dynamic.needed.isEmpty {
      notes.append(
        "To see first uses and load times, record a run: firstlight record --no-rebuild -o app.flp "
          + "-- \(ShellText.quoted(file)); then: firstlight libraries app.flp")
    }
    return LibraryReport(LibrarySearch.graph(facts), notes: notes)
  }

  private func recorded() throws(Failure) -> LibraryReport {
    let profile = try ProfileFile.read(file)
    let recorded = try RecordedLibraries(profile, from: file)
    let facts = try Self.facts(recorded.path)
    let graph = LibrarySearch.graph(facts, later: recorded.later)
    var notes = Self.notes(facts) + recorded.notes
    for node in graph.nodes {
      let builds = profile.builds.map(\.build).filter {
        AbsolutePath.resolved($0.path) == node.path
      }
      if let id = node.facts.buildID, !builds.isEmpty, !builds.contains(where: { $0.buildID == id })
      {
        notes.append("\(node.path) has changed since it was recorded.")
      }
    }
    return LibraryReport(graph, runs: recorded.runs, ready: recorded.ready, notes: notes)
  }

  private static func notes(_ facts: BinaryFacts) -> [String] {
    guard let interpreter = facts.interpreter, interpreter.contains("musl") else { return [] }
    return ["Its loader is \(interpreter); libraries were resolved as the GNU C library does."]
  }

  private static func facts(_ path: String) throws(Failure) -> BinaryFacts {
    try FileStart.refuseScript(path)
    return try DebugImage(path: path, debugDirectories: []).facts()
  }

  private static func isProfile(_ path: String) -> Bool {
    FileStart.bytes(of: path).starts(with: "SQLite format 3\0".utf8)
  }
}
