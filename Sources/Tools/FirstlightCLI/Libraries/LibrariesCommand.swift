import ArgumentParser
import BinaryInspection
import DebugInfo
import FirstlightModel
import LibraryResolution
import ProfileFile
import ReportFormats
import StartupComparison
import SystemSupport

struct LibrariesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "libraries",
    abstract:
      "Tells what each shared library of a program is there for, what it costs, what to do.",
    discussion: """
      Finds each library where the loader would (RPATH, LD_LIBRARY_PATH, RUNPATH, ld.so.cache, \
      the usual folders) and binds each symbol as it would, running nothing: who needs a library, \
      which symbols are bound from it and by whom, its relocations, the pages they take, its \
      initializers. Lists unused libraries.

      Of a profile, it also tells what a run showed: first use, time to map, relocate and \
      initialize, libraries that the program loads itself (dlopen), and those not used before \
      ready:

        firstlight libraries .build/release/app
        firstlight record --no-rebuild -o app.flp -- .build/release/app
        firstlight libraries app.flp

      Exit code: 0 whatever is found; 65 not an executable, shared library or profile; 66 cannot be \
      read. Documentation/Libraries.md tells what each number means.
      """)

  @Argument(
    help: ArgumentHelp("The executable or shared library, or a profile.", valueName: "file"))
  var file: String

  @Option(help: "text or json.")
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
        "When each is first used, and what loading it takes, a run tells: "
          + "firstlight record --no-rebuild -o FILE.flp -- \(file) ..., then firstlight libraries FILE.flp"
      )
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
        notes.append("\(node.path) is not the build that was recorded any more.")
      }
    }
    return LibraryReport(graph, runs: recorded.runs, ready: recorded.ready, notes: notes)
  }

  private static func notes(_ facts: BinaryFacts) -> [String] {
    guard let interpreter = facts.interpreter, interpreter.contains("musl") else { return [] }
    return ["Its loader is \(interpreter); libraries were looked for as the GNU C library does."]
  }

  private static func facts(_ path: String) throws(Failure) -> BinaryFacts {
    try FileStart.refuseScript(path)
    return try DebugImage(path: path, debugDirectories: []).facts()
  }

  private static func isProfile(_ path: String) -> Bool {
    FileStart.bytes(of: path).starts(with: "SQLite format 3\0".utf8)
  }
}
