import Foundation
import TestSupport
import Testing

/// A GitHub action, its steps run as a runner does.
struct ActionSteps {
  /// The folder of its action.yml.
  let folder: URL
  /// Where files of the runner go, and the working directory of steps.
  let directory: TemporaryDirectory
  var workingDirectory: URL?

  struct Step: Decodable {
    var name: String
    var env: [String: String]
    var run: String
  }

  /// The steps of the action, with the inputs put in as a runner does.
  func steps(_ inputs: [String: String]) throws -> [Step] {
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

  func run(_ step: Step, path: String = "") throws -> CommandResult {
    try Command.run(
      ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
      in: workingDirectory ?? directory.url,
      environment: step.env.merging([
        "GITHUB_ACTION_PATH": folder.path, "RUNNER_TEMP": directory.url.path,
        "GITHUB_PATH": directory.path("path"), "GITHUB_STEP_SUMMARY": directory.path("summary"),
        "GITHUB_OUTPUT": directory.path("output"),
        "PATH": (path.isEmpty ? "" : path + ":") + "/usr/bin:/bin",
      ]) { $1 })
  }

  /// Both steps with a tarball of the tools under test; the result is that of the last one.
  func act(_ inputs: [String: String], tools: [String] = ["firstlight"]) throws -> CommandResult {
    let root = directory.url.appending(path: "firstlight-0.2.0")
    try FileManager.default.createDirectory(
      at: root.appending(path: "bin"), withIntermediateDirectories: true)
    for name in tools {
      let tool = root.appending(path: "bin/\(name)").path
      try? FileManager.default.removeItem(atPath: tool)
      try ProgramFile.copy(Toolchain.products.appending(path: name).path, to: tool)
    }
    try Command.check(["tar", "-czf", "tools.tar.gz", "firstlight-0.2.0"], in: directory.url)
    let steps = try steps(inputs.merging(["tarball": directory.path("tools.tar.gz")]) { $1 })
    #expect(steps.count == 2)
    let installed = try run(steps[0])
    try #require(installed.status == 0, "\(installed.output)\(installed.errors)")
    let path = try String(contentsOfFile: directory.path("path"), encoding: .utf8)
    return try run(steps[1], path: path.trimmingCharacters(in: .newlines))
  }
}
