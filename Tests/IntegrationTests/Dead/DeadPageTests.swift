import Foundation
import TestSupport
import Testing

/// The page of a never-called list: it has the numbers of the other formats, and fits windows.
@Suite(.tags(.compiler, .browser)) struct DeadPageTests {
  private struct Numbers: Decodable {
    var title, heading, count, listed: String
    var sums: [String]
    var rows: Int
    var errors: [String]
  }

  private static let ask = """
    const text = selector => document.querySelector(selector).textContent;
    answers.title = document.title;
    answers.heading = text("h1");
    answers.count = text("#count");
    answers.listed = text(".sums dt:nth-of-type(2)");
    answers.sums = [...document.querySelectorAll(".sums dd")].map(each => each.textContent);
    answers.rows = document.querySelectorAll("#list tbody tr").length;
    """

  /// Three of its never-called functions are one's own, seven a dependency's.
  private func program() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let vendor = (1...7).map { "int zip\($0)(int x) { return x + \($0); }\n" }.joined()
    let files = [
      "main.c":
        "int one(void) { return 1; }\nint two(void) { return 2; }\nint main(void) { return 0; }\n",
      "part.c": "int three(void) { return 3; }\n", "vendor/zip.c": vendor,
    ]
    for (name, text) in files { try directory.write(text, to: name) }
    try Command.check(
      ["clang", "-g", "-o", "program"] + files.keys.sorted() + Toolchain.flags("clang"),
      in: directory.url)
    try Command.check(
      [Toolchain.firstlight, "record", "-o", "program.flp", "--", "./program"], in: directory.url)
    return directory
  }

  private func dead(_ directory: TemporaryDirectory, _ options: String...) throws -> String {
    try Command.check(
      [Toolchain.firstlight, "dead", "program.flp"] + options, in: directory.url)
  }

  @Test func theNumberIsTheSameEverywhere() throws {
    let directory = try program()
    let page = try Browser.ask(
      dead(directory, "--format", "html"), Self.ask, as: Numbers.self)
    #expect(page.errors == [])
    #expect(page.heading.hasPrefix("3 functions never called, "))
    #expect(page.title == page.heading)
    // Behind the number stands what all rows have in common.
    let number = page.heading.replacing(" never called", with: "")
    #expect(page.count.hasPrefix(number + "; ") && page.count.hasSuffix("verdict: never called"))
    #expect(page.sums == ["called", "never called"] && page.listed == "3" && page.rows == 3)
    let text = try dead(directory)
    #expect(text.contains(/(?m)^ *3  never called, [0-9]/), "\(text)")
    #expect(try dead(directory, "--format", "markdown").hasPrefix("### \(page.heading)\n"))
    let json = try JSONDecoder().decode(
      DeadDocument.self, from: Data(dead(directory, "--format", "json").utf8))
    #expect(json.totals.neverCalled == 3 && json.totals.functions == 4)
    #expect(json.totals.otherCode == 7 && json.functions.count == 10)
    #expect(json.equation.neverCalled == 3 && json.equation.sum == json.equation.guards)
    let all = try Browser.ask(
      dead(directory, "--format", "html", "--dependencies"), Self.ask, as: Numbers.self)
    #expect(all.heading.hasPrefix("10 functions never called, ") && all.listed == "10")
    let ten = all.heading.replacing(" never called", with: "")
    #expect(all.count.hasPrefix(ten) && all.rows == 10)
  }

  @Test func aBaselineKeepsFunctionsOutOfTheTableToo() throws {
    let directory = try program()
    _ = try dead(directory, "--path", "main.c", "--write-baseline", "baseline")
    let page = try dead(directory, "--format", "html", "--baseline", "baseline")
    let numbers = try Browser.ask(page, Self.ask, as: Numbers.self)
    #expect(numbers.heading.hasPrefix("1 function never called, ") && numbers.rows == 1)
    #expect(numbers.count.hasPrefix("1 function"))
    #expect(page.contains("2 functions of the baseline not listed."))
  }

  private struct Layout: Decodable {
    var cut: Int
    var tiles: Int
    var crumbs: String
    var isHidden: Bool
    var errors: [String]
  }

  private static let layout = """
    const scroll = document.querySelector(".scroll");
    answers.cut = Math.max(scroll.scrollWidth - scroll.clientWidth,
      document.documentElement.scrollWidth - innerWidth);
    answers.tiles = document.querySelectorAll("#map rect").length;
    answers.crumbs = document.getElementById("crumbs").textContent;
    answers.isHidden = document.getElementById("map").closest("section").hidden;
    """

  /// With long names, and what refers to them.
  @Test(arguments: [1400, 1000, 400])
  func theTableFitsTheWindow(width: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      struct ConfigurationDocumentParser {
        var text: String
        @inline(never) func parse(withOptions options: [String: [Int]], defaults: [String: String])
          -> [String: [String: Int]] { options.mapValues { [helper(): $0.count] } }
        @inline(never) func helper() -> String { text + text }
        @inline(never) func used() -> Int { text.count }
      }
      print(ConfigurationDocumentParser(text: "a").used())
      """, to: "main.swift")
    try Command.check(
      ["swiftc", "-g", "-index-store-path", "index", "main.swift", "-o", "program"]
        + Toolchain.flags("swiftc"), in: directory.url)
    try Command.check(
      [Toolchain.firstlight, "record", "-o", "program.flp", "--", "./program"], in: directory.url)
    let page = try Browser.ask(
      dead(directory, "--index", "index", "--format", "html"), Self.layout, width: width,
      as: Layout.self)
    #expect(page.errors == [] && page.cut <= 0)
    // One module of one file: its functions at once.
    #expect(page.tiles > 1 && page.crumbs == "All modules > program > main.swift")
  }

  @Test func aTreemapOfOneTileIsLeftOut() throws {
    let fixture = try Fixture.c("int main(void) { return 0; }", isOwn: true)
    let profile = try fixture.record()
    let page = try Command.check(
      [Toolchain.firstlight, "dead", profile, "--format", "html"], in: fixture.directory.url)
    let layout = try Browser.ask(page, Self.layout, as: Layout.self)
    #expect(layout.isHidden && layout.errors == [])
  }
}
