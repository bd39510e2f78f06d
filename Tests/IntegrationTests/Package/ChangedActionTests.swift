import Foundation
import TestSupport
import Testing

/// The GitHub action for changes, its steps run as a runner does, in the checkout that GitHub makes of a pull request.
@Suite(.tags(.compiler)) struct ChangedActionTests: ProjectTests {
  let directory: TemporaryDirectory
  private let folder = Toolchain.project.appending(path: "Packaging/github-action/changed")

  init() throws {
    directory = try TemporaryDirectory()
    try commit([
      "CMakeLists.txt": """
      cmake_minimum_required(VERSION 3.18)
      project(Prices C)
      enable_testing()
      add_executable(tests code.c tests.c)
      add_test(NAME tests COMMAND tests)

      """,
      "code.h": "int price(int x), tax(int x), old(int x), fresh(int x);\n",
      "code.c": """
      #include "code.h"
      int price(int x) {
        return x + 1;
      }
      int tax(int x) {
        return x * 2;
      }
      int old(int x) {
        return x * 3;
      }

      """,
      "tests.c": """
      #include "code.h"
      int main(int count, char **words) {
        (void)words;
        return price(count) - 2 + (count > 5 ? tax(1) + old(1) : 0);
      }

      """,
    ])
    try git("branch", "-m", "main")
    try git("checkout", "-qb", "work")
    let code = try text("code.c").replacing("x + 1", with: "1 + x").replacing(
      "x * 2", with: "2 * x")
    try directory.write(
      code + "int fresh(int x) {\n  return x;\n}\n", to: "project/code.c")
    try git("commit", "-qam", "the change")
    // The base moves on.
    try git("checkout", "-q", "main")
    try directory.write("A word.\n", to: "project/README.md")
    try git("add", "-A")
    try git("commit", "-qm", "on the base")
    try git("checkout", "-q", "--detach", "main")
    try git("merge", "-q", "--no-edit", "--no-ff", "work")
    try git("branch", "merge")
  }

  private var checkout: URL { directory.url.appending(path: "checkout") }

  private func clone(_ options: [String]) throws {
    try Command.check(
      ["git", "clone", "-q"] + options + ["file://\(project.path)", checkout.path])
  }

  private func act(_ arguments: String) throws -> CommandResult {
    try clone(["--depth", "2", "--branch", "merge"])
    let action = ActionSteps(folder: folder, directory: directory, workingDirectory: checkout)
    return try action.act(
      ["arguments": arguments],
      tools: ["firstlight", "firstlight-prune", "libfirstlight_rt.a"])
  }

  private func file(_ name: String) throws -> String {
    try String(contentsOfFile: directory.path(name), encoding: .utf8)
  }

  @Test func functionsThatNoTestCallsAreAnnotatedAtTheirLines() throws {
    let result = try act("")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("::") }
    #expect(
      lines.map { $0.components(separatedBy: ",title=")[0] }.sorted() == [
        "::warning file=code.c,line=11", "::warning file=code.c,line=5",
      ], "\(result.output)\(result.errors)")
    let page = try Command.check(["cmark-gfm", "-e", "table", directory.path("summary")])
    #expect(page.contains(": 3 functions in 1 file</h"), "\(page)")
    #expect(page.contains("<code>fresh</code>") && !page.contains("<code>old</code>"), "\(page)")
    #expect(try file("firstlight-changed.md") == file("summary"))
    let output = try file("output")
    #expect(output.hasPrefix("code=0\nnever-called=2\nreport="), "\(output)")
    let names = try file("firstlight-changed.sarif")
      .matches(of: /"fullyQualifiedName" ?: "([a-z]+)"/).map { String($0.1) }
    #expect(names.sorted() == ["fresh", "tax"])
  }

  @Test func aGateFailsTheJob() throws {
    let result = try act("--strict")
    // xargs ends with a status of its own.
    #expect(result.status != 0)
    #expect(try file("output").hasPrefix("code=1\n"))
    let last = result.output.split(separator: "\n").last { $0.hasPrefix("::error") }
    #expect(
      last
        == "::error title=Changed functions::firstlight test ended with exit code 1; never called: 2",
      "\(result.output)\(result.errors)")
  }

  @Test func aBuildThatFailsFailsTheJobWithoutAList() throws {
    let result = try act("--build 'make nothing' --run ./tests")
    #expect(result.status != 0)
    #expect(result.output.contains("::error title=Changed functions::"), "\(result.output)")
    #expect(try file("output").contains("never-called=0\n"))
    #expect(!FileManager.default.fileExists(atPath: directory.path("summary")))
  }

  // MARK: Documentation/CI.md

  private static func page() throws -> String {
    try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/CI.md"), encoding: .utf8)
  }

  @Test func theCommandsForOtherServersListTheChange() throws {
    try clone(["--depth", "1", "--branch", "work"])
    let section = try #require(
      try Self.page().components(separatedBy: "## On any other server\n").last)
    let commands = section.components(separatedBy: "```")[1]
    let result = try Command.run(
      ["sh", "-c", commands], in: checkout,
      environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
    #expect(
      result.errors.contains("gate exceeded: --strict: 2 functions listed"), "\(result.errors)")
    let report = try String(
      contentsOf: checkout.appending(path: "changed.md"), encoding: .utf8)
    #expect(report.contains("Changed since origin/main "), "\(report)")
    #expect(report.contains("`fresh`") && report.contains("`tax`"), "\(report)")
    let sarif = checkout.appending(path: "changed.sarif")
    #expect(try String(contentsOf: sarif, encoding: .utf8).contains("\"fresh\""))
  }

  /// Oracle: Python's parser of YAML, and the inputs of the actions.
  @Test func workflowsPassInputsThatTheActionsHave() throws {
    let script = """
      import re, sys, yaml
      uses = 0
      for text in re.findall(r"```yaml\\n(.*?)```", open(sys.argv[1]).read(), re.S):
          for job in yaml.safe_load(text)["jobs"].values():
              for step in job["steps"]:
                  ours = re.match(r"OWNER/firstlight/(\\S+)@", step.get("uses", ""))
                  if ours:
                      action = yaml.safe_load(open(f"{sys.argv[2]}/{ours[1]}/action.yml"))
                      assert set(step.get("with", {})) <= set(action["inputs"]), step
                      uses += 1
      print(uses)
      """
    let uses = try Command.check([
      "/usr/bin/python3", "-c", script,
      Toolchain.project.appending(path: "Documentation/CI.md").path, Toolchain.project.path,
    ])
    #expect(Int(uses.trimmingCharacters(in: .whitespacesAndNewlines)) == 3)
  }
}
