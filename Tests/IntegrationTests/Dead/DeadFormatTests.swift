import Foundation
import TestSupport
import Testing

/// Each form of a never-called list, read by a public tool.
@Suite(.tags(.compiler, .browser)) struct DeadFormatTests {
  private let program: Fixture
  private let profile: String
  private static let source = """
    #include <stdio.h>
    __attribute__((noinline)) static int used(int x) { return printf("%d\\n", x); }
    __attribute__((noinline)) int never_one(int x) { return printf("<%d> & \\"more\\"\\n", x); }
    __attribute__((noinline)) int never_two(int x) { return never_one(x) + used(x); }
    int main(int count, char **v) { (void)v; return count > 5 ? never_two(count) : used(count) < 0; }

    """

  init() throws {
    program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    profile = try program.record()
  }

  private func text(_ format: String, _ options: String...) throws -> String {
    try Command.check(
      [Toolchain.firstlight, "dead", profile, "--format", format] + options,
      in: program.directory.url)
  }

  @Test func lcovReadsTheTracefile() throws {
    let file = try program.directory.write(try text("lcov"), to: "out.info")
    let summary = try Command.run(["lcov", "--summary", file, "--rc", "lcov_branch_coverage=0"])
    #expect(summary.status == 0)
    // Version 2 has more dots.
    #expect((summary.output + summary.errors).contains(/functions\.+: 50\.0% \(2 of 4 functions\)/))
    let pages = program.directory.path("html")
    try Command.check(["genhtml", "--quiet", "-o", pages, file])
    let index = try String(contentsOfFile: pages + "/index.html", encoding: .utf8)
    #expect(index.contains("50.0"))
  }

  @Test func sarifFitsItsSchema() throws {
    let file = try program.directory.write(try text("sarif"), to: "out.sarif")
    try validate(file, schema: "sarif-2.1.0-part.schema.json")
    let log = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file))) as? [String: Any])
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == 2)
    let location = (results[0]["locations"] as? [[String: Any]])?.first
    let physical = location?["physicalLocation"] as? [String: Any]
    #expect((physical?["artifactLocation"] as? [String: String])?["uri"] == "main.c")
    #expect((physical?["region"] as? [String: Int])?["startLine"] == 3)
  }

  private func validate(_ file: String, schema: String) throws {
    let path = Toolchain.project.appending(path: "Tests/Fixtures/\(schema)").path
    let script = """
      import json, sys, jsonschema
      schema, document = (json.load(open(path)) for path in sys.argv[1:])
      jsonschema.Draft7Validator.check_schema(schema)
      jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)
      """
    try Command.check(["/usr/bin/python3", "-c", script, path, file])
  }

  @Test func annotationsCarryRelativePaths() throws {
    #expect(
      try text("github-actions").split(separator: "\n").map(String.init) == [
        "::warning file=main.c,line=3,title=Never called::never_one was never called in 1 recorded run",
        "::warning file=main.c,line=4,title=Never called::never_two was never called in 1 recorded run",
      ])
  }

  @Test func theSummaryIsATableOnGitHub() throws {
    let file = try program.directory.write(try text("markdown"), to: "summary.md")
    let page = try Command.check(["cmark-gfm", "-e", "table", file])
    #expect(page.contains("<h3>2 functions never called, "))
    let cells = page.matches(of: /<td(?: align="\w+")?>(.*)<\/td>/).map { String($0.1) }
    // Two functions, and the sums of their module.
    #expect(cells.count == 15)
    #expect(
      cells.prefix(3) == ["<code>never_one</code>", "<code>main.c:3</code>", "program"])
  }

  @Test func thePageWorksInABrowserWithoutNetwork() throws {
    let page = try text("html")
    #expect(!page.contains("src="))
    #expect(!page.contains("http://") || !page.contains("<link"))
    let answers = try Browser.ask(
      page,
      """
      const names = () => [...document.querySelectorAll("#list tbody td.name")].map(td => td.textContent);
      const ask = (text, event) => { search.value = text; search.dispatchEvent(new Event(event)); };
      answers.rows = names();
      answers.map = document.querySelectorAll("#map rect").length;
      document.querySelectorAll("#list thead button")[1].click();
      answers.sorted = names();
      document.querySelectorAll("#list thead button")[1].click();
      answers.reversed = names();
      ask("NEVER_two", "input");
      answers.found = names();
      answers.links = [...document.querySelectorAll("#list a")].map(a => a.getAttribute("href"));
      ask("", "input");
      verdict.value = "";
      verdict.dispatchEvent(new Event("change"));
      answers.all = names().sort();
      document.querySelector("#map g").dispatchEvent(new Event("click"));
      answers.clicked = search.value;
      answers.crumbs = document.getElementById("crumbs").textContent;
      """, as: PageAnswers.self)
    #expect(answers.errors == [])
    #expect(answers.rows.sorted() == ["never_one", "never_two"])
    #expect(answers.sorted == ["never_one", "never_two"])
    #expect(answers.reversed == ["never_two", "never_one"])
    #expect(answers.found == ["never_two"])
    #expect(answers.links == ["main.c#L4"])
    #expect(answers.all == ["main", "never_one", "never_two", "used"])
    // There is one module of one file, so the functions are shown.
    #expect(answers.map == 4)
    #expect(answers.all.contains(answers.clicked))
    #expect(answers.crumbs == "All modules > program > main.c")
  }

  private struct PageAnswers: Decodable {
    var rows, sorted, reversed, found, links, all, errors: [String]
    var map: Int
    var clicked, crumbs: String
  }
}
