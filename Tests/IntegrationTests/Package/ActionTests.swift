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

  private struct Step: Decodable {
    var name: String
    var env: [String: String]
    var run: String
  }

  /// The steps of the action, with the inputs put in as a runner does.
  private func steps(_ inputs: [String: String]) throws -> [Step] {
    let script = """
      import json, re, sys, yaml
      action = yaml.safe_load(open(sys.argv[1]))
      given = json.loads(sys.argv[2])
      values = {f"inputs.{name}": given.pop(name, entry.get("default"))
                for name, entry in action["inputs"].items()}
      assert not given and action["runs"]["using"] == "composite", given
      values |= {"github.action_repository": "owner/firstlight", "github.action_ref": "v0.2.0",
                 "runner.temp": sys.argv[3]}
      steps = action["runs"]["steps"]
      for step in steps:
          assert step["shell"] == "bash"
          step["env"] = {name: re.sub(r"\\${{ (\\S+) }}", lambda match: values[match[1]], text)
                         for name, text in step["env"].items()}
      print(json.dumps(steps))
      """
    let given = String(decoding: try JSONEncoder().encode(inputs), as: UTF8.self)
    let text = try Command.check([
      "/usr/bin/python3", "-c", script, folder.appending(path: "action.yml").path, given,
      directory.url.path,
    ])
    return try JSONDecoder().decode([Step].self, from: Data(text.utf8))
  }

  private func run(_ step: Step, path: String = "") throws -> CommandResult {
    try Command.run(
      ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], in: directory.url,
      environment: step.env.merging([
        "GITHUB_ACTION_PATH": folder.path, "RUNNER_TEMP": directory.url.path,
        "GITHUB_PATH": directory.path("path"), "GITHUB_STEP_SUMMARY": directory.path("summary"),
        "GITHUB_OUTPUT": directory.path("output"),
        "PATH": (path.isEmpty ? "" : path + ":") + "/usr/bin:/bin",
      ]) { $1 })
  }

  /// Both steps with a tarball of the tools under test; the result is that of the last one.
  private func act(arguments: String) throws -> CommandResult {
    let root = directory.url.appending(path: "firstlight-0.2.0")
    try FileManager.default.createDirectory(
      at: root.appending(path: "bin"), withIntermediateDirectories: true)
    let tool = root.appending(path: "bin/firstlight").path
    try? FileManager.default.removeItem(atPath: tool)
    try ProgramFile.copy(Toolchain.firstlight, to: tool)
    try Command.check(["tar", "-czf", "tools.tar.gz", "firstlight-0.2.0"], in: directory.url)
    let steps = try steps([
      "tarball": directory.path("tools.tar.gz"), "arguments": arguments,
    ])
    #expect(steps.count == 2)
    let installed = try run(steps[0])
    try #require(installed.status == 0, "\(installed.output)\(installed.errors)")
    let path = try String(contentsOfFile: directory.path("path"), encoding: .utf8)
    return try run(steps[1], path: path.trimmingCharacters(in: .newlines))
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
      let result = try run(steps(inputs)[0])
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
