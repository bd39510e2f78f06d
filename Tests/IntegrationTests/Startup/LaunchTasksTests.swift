import Foundation
import TestSupport
import Testing

/// Examples/launch-tasks, built as its users build it, beside another library of services.
@Suite struct LaunchTasksTests {
  @Test func theExampleRunsItsTasksAndRecordsThem() throws {
    let directory = try TemporaryDirectory()
    // A copy: the example is a package of its own and leaves a build folder.
    let copy = directory.url.appending(path: "firstlight")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for entry in [
      "Package.swift", "Sources", "CSupport", "Plugins", "Tests", "Benchmarks", "Examples",
    ] {
      try FileManager.default.copyItem(
        at: Toolchain.project.appending(path: entry), to: copy.appending(path: entry))
    }
    let example = copy.appending(path: "Examples/launch-tasks")
    try Command.check(["swift", "build"] + (try Toolchain.flags("swiftpm")), in: example)

    let words = try directory.write("fox dog cat\n", to: "words.txt")
    let profile = directory.path("p.flp")
    let program = example.appending(path: ".build/debug/Spelling").path
    let output = try Command.check([
      "sh", "-c", "printf 'foxes\\nbird\\n' | \"$0\" record -o \"$1\" -- \"$2\" \"$3\"",
      Toolchain.firstlight, profile, program, words,
    ])
    #expect(output.contains("> foxes: yes\n> bird: no\n"))
    // Which of both ways to the prompt took longer, nobody knows beforehand.
    let path = output.split(separator: "\n").drop { !$0.contains("The critical path") }
      .dropFirst().prefix { !$0.contains("All tasks") }.map { $0.split(separator: " ")[0] }
    #expect(path == ["settings", "words", "prompt"] || path == ["endings", "prompt"])
    #expect(output.contains("after ready"))

    func rows(_ sql: String) throws -> [String] {
      try Command.check(["sqlite3", profile, sql]).split(separator: "\n").map(String.init)
    }
    // Each task is a span, and no task begins before those that it comes after have ended.
    let spans = try rows("SELECT name FROM mark WHERE duration > 0")
    #expect(Set(["settings", "words", "endings", "prompt"]).isSubset(of: spans))
    #expect(
      try rows(
        """
        SELECT b.name FROM mark a JOIN mark b ON (a.name, b.name) IN
          (VALUES ('settings', 'words'), ('words', 'prompt'), ('endings', 'prompt'))
          WHERE a.time + a.duration > b.time
        """) == [])
    // And the program said that it was ready between the stages.
    #expect(
      try rows(
        """
        SELECT count(*) FROM mark, process WHERE name = 'prompt'
          AND (time + duration) / 1e9 <= ready_after
        """) == ["1"])
  }
}
