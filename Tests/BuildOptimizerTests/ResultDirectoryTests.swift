import BuildOptimizer
import FirstlightModel
import TestSupport
import Testing

@Suite struct ResultDirectoryTests {
  @Test func resultsLieWhereLinkerFlagsCanNameThem() throws {
    let directory = try TemporaryDirectory()
    let results = try ResultDirectory(directory.path("out"), program: "a/program")
    #expect(results.files.after == directory.path("out/after/program"))
    #expect(directory.entries == ["out"])
    let failure = #expect(throws: Failure.self) {
      try ResultDirectory(directory.path("with,comma"), program: "program")
    }
    #expect(failure?.kind == .usage)
  }
}
