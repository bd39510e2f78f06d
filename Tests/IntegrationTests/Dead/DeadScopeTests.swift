import Foundation
import TestSupport
import Testing

/// Whose code `dead` lists: by where the sources of a real program lie.
@Suite(.tags(.compiler)) struct DeadScopeTests {
  private let directory: TemporaryDirectory
  private let profile: String

  init() throws {
    directory = try TemporaryDirectory()
    let files = [
      "main.c": "int own(void) { return 1; }\nint main(void) { return 0; }\n",
      "vendor/zip.c": "int zip(void) { return 2; }\n",
      "tests/help.c": "int help(void) { return 3; }\n",
      "more/part.c": "int part(void) { return 4; }\n",
    ]
    for (name, text) in files { try directory.write(text, to: name) }
    try Command.check(
      ["clang", "-g", "-o", "program"] + files.keys.sorted() + Toolchain.flags("clang"),
      in: directory.url)
    profile = directory.path("program.flp")
    try Command.check(
      [Toolchain.firstlight, "record", "-o", profile, "--", directory.path("program")])
  }

  private func dead(_ arguments: String..., in folder: URL? = nil) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "dead"] + arguments, in: folder ?? directory.url)
  }

  private func names(_ text: String) -> Set<String> {
    Set(text.matches(of: /(?m)^ +[0-9]+ +[0-9]+ B  (.*)$/).map { String($0.1) })
  }

  @Test func onesOwnCodeIsListedAndTheRestCounted() throws {
    let own = try dead()
    #expect(own.status == 0 && names(own.output) == ["own", "part"], "\(own.errors)")
    #expect(own.errors.contains("reading program.flp"))
    #expect(own.output.contains("1 more in dependencies, 1 in tests: --dependencies lists them"))
    #expect(own.output.contains("functions in total"))
    #expect(names(try dead("--dependencies").output) == ["own", "part", "zip", "help"])
    // Who names files wants these.
    #expect(names(try dead("--path", "vendor/*").output) == ["zip"])
    let gate = try dead("--max-dead", "1")
    #expect(gate.status == 1 && gate.errors.contains("2 functions listed"))
  }

  @Test func theUserSaysWhatIsTheirOwn() throws {
    #expect(names(try dead("--own", "vendor/*").output) == ["zip"])
    try directory.write("dependencies: ['more/*']\n", to: ".firstlight.yml")
    #expect(names(try dead().output) == ["own"])
    try directory.write("own: ['more/*', main.c, tests/*]\n", to: ".firstlight.yml")
    #expect(names(try dead().output) == ["own", "part", "help"])
  }

  @Test func theProfilesFolderDecidesWhereTheWorkingDirectoryCannot() throws {
    let elsewhere = try TemporaryDirectory()
    #expect(names(try dead(profile, in: elsewhere.url).output) == ["own", "part"])
    let moved = elsewhere.path("moved.flp")
    try FileManager.default.copyItem(atPath: profile, toPath: moved)
    let all = try dead(moved, in: elsewhere.url)
    #expect(all.status == 0 && names(all.output) == ["own", "part", "zip", "help"])
    #expect(all.output.contains("no recorded source file lies in \(elsewhere.url.path)."))
    #expect(names(try dead(moved, "--own", "*/more/*", in: elsewhere.url).output) == ["part"])
  }

  @Test func formatsForProgramsAreComplete() throws {
    let text = try dead("--format", "json").output
    let document = try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8))
    let origins = document.functions.map { "\($0.shortName) \($0.origin ?? "")" }
    #expect(Set(origins) == ["own own", "part own", "zip dependency", "help tests"])
    #expect(document.modules.map(\.name) == ["program"])
    #expect(document.modules[0].functions == 5 && document.modules[0].called == 1)
    #expect(try dead("--format", "lcov").output.contains("zip"))
    #expect(try dead("--format", "html").output.contains("zip"))
    #expect(try !dead("--format", "sarif").output.contains("zip"))
  }
}
