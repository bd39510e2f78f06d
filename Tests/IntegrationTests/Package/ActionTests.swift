import Foundation
import TestSupport
import Testing

/// The GitHub action, its steps run as a runner does, with a real gate.
@Suite(.serialized, .tags(.compiler, .timing)) struct ActionTests {
  private let directory: TemporaryDirectory
  private let folder = Toolchain.project.appending(path: "Packaging/github-action")

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("int main(void) { return 0; }\n", to: "main.c")
    for (name, libraries) in [("old", []), ("same", []), ("more", ["-lm"])] {
      try Command.check(
        ["clang", "-O1", "-fuse-ld=lld", "-Wl,--no-as-needed", "main.c", "-o", name] + libraries,
        in: directory.url)
    }
  }

  private var action: ActionSteps { ActionSteps(folder: folder, directory: directory) }

  private func act(arguments: String) throws -> CommandResult {
    try action.act(["arguments": arguments])
  }

  private func file(_ name: String) throws -> String {
    try String(contentsOfFile: directory.path(name), encoding: .utf8)
  }

  @Test func aRegressionFailsWithASummary() throws {
    let result = try act(arguments: "--runs 10 --against ./old -- ./more 'an argument'")
    #expect(result.status != 0)
    #expect(
      result.output == "::error title=Start-up gate::./more: REGRESSION\n", "\(result.errors)")
    let page = try Command.check(["cmark-gfm", "-e", "table", directory.path("summary")])
    #expect(page.contains("<h3>./more: REGRESSION</h3>"))
    #expect(page.contains(">NEW: libm.so.6</td>"), "\(page)")
    let report = directory.path("firstlight-gate.md")
    #expect(try file("output") == "outcome=regression\nreport=\(report)\n")
    #expect(try file("firstlight-gate.md") == file("summary"))
  }

  /// A busy machine may make it inconclusive, which passes too.
  @Test func theSameProgramPasses() throws {
    let result = try act(
      arguments: "--runs 10 --max-regression 100% --against ./old\n-- ./same")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try file("summary").hasPrefix("### ./same: "))
    let output = try file("output")
    #expect(output.hasPrefix("outcome=fine\n") || output.hasPrefix("outcome=inconclusive\n"))
  }

  /// The script alone, outside of GitHub.
  @Test func anInconclusiveGateIsAWarning() throws {
    try ProgramFile.script(
      """
      #!/bin/sh
      while [ "$1" != -o ]; do shift; done
      echo '### ./an\\_app: inconclusive (too noisy)' > "$2"
      exit 125

      """, at: directory.path("stand-in/firstlight"))
    let result = try Command.run(
      [folder.appending(path: "gate").path, "gate.md", "--against", "old", "--", "./an_app"],
      in: directory.url,
      environment: ["PATH": "\(directory.path("stand-in")):/usr/bin:/bin"])
    #expect(result.status == 0)
    #expect(
      result.output == """
        ### ./an\\_app: inconclusive (too noisy)
        ::warning title=Start-up gate::./an_app: inconclusive (too noisy)

        """)
  }

  @Test func whatCannotBeMeasuredFailsWithItsCode() throws {
    let script = folder.appending(path: "gate").path
    let environment = ["PATH": "\(Toolchain.products.path):/usr/bin:/bin"]
    let result = try Command.run(
      [script, "gate.md", "--against", "./old", "--", "./none"], in: directory.url,
      environment: environment)
    #expect(result.status == 194)
    #expect(
      result.output
        == "::error title=Start-up gate::firstlight gate ended with exit code 194\n")
    #expect(result.errors.contains("none"))
    #expect(try Command.run([script], environment: environment).status == 64)
  }

  @Test func anUnusableTarballOrVersionIsNamed() throws {
    try Command.check(["tar", "-czf", "other.tar.gz", "main.c"], in: directory.url)
    func fails(_ inputs: [String: String], _ status: Int32, _ words: String) throws {
      let result = try action.run(action.steps(inputs)[0])
      #expect(result.status == status)
      #expect(result.output.hasPrefix("::error title=Install Firstlight::"), "\(result.errors)")
      #expect(result.output.contains(words), "\(result.output)")
    }
    let other = directory.path("other.tar.gz")
    try fails(["tarball": directory.path("none")], 65, "no such file")
    try fails(["tarball": directory.path("main.c")], 65, "cannot be unpacked")
    try fails(["tarball": other], 65, "holds no bin/firstlight")
    try fails(["tarball": other, "sha256": String(repeating: "0", count: 64)], 65, "SHA-256")
    try fails(["version": "main"], 64, "'main' is no version")
  }
}
