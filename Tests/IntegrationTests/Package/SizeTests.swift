import Foundation
import TestSupport
import Testing

/// `size` on real binaries.
@Suite(.tags(.compiler)) struct SizeTests {
  private struct Report: Decodable {
    struct Part: Decodable {
      var name: String
      var bytes: Int
    }
    struct Module: Decodable {
      struct Caller: Decodable {
        var file: String
        var calls: Int
      }
      var name: String
      var owner: String
      var bytes: Int
      var calledShare: Double?
      var callers: [Caller]
    }
    struct Symbol: Decodable {
      var name: String
      var bytes: Int
      var called: Bool?
    }
    var fileSize: Int
    var sections: [Part]
    var modules: [Module]
    var others: [Part]
    var symbols: [Symbol]
  }

  private static let source = """
    #include <stdio.h>
    __attribute__((aligned(64))) static const char table[5000] = {1};
    __attribute__((noinline)) static int used(int n) { return table[n % 5000] + n; }
    __attribute__((noinline, used)) static int unused(int n) { return n * 3; }
    int main(int count, char **arguments) { return printf("%d\\n", used(count)) < 0; }
    """

  private func report(_ program: Fixture, _ more: String...) throws -> Report {
    let text = try Command.check(
      [Toolchain.firstlight, "size", program.executable, "--format", "json"] + more)
    return try JSONDecoder().decode(Report.self, from: Data(text.utf8))
  }

  /// Oracles: the file, llvm-size, llvm-nm.
  @Test(arguments: [
    ["-O1"], ["-O0", "-static"], ["-O2", "-Wl,-s"], ["-O1", "-fuse-ld=lld", "-no-pie"],
  ])
  func eachByteIsCountedOnce(options: [String]) throws {
    let program = try Fixture.c(Self.source, options: options, flags: Fixture.plain)
    let report = try report(program)
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: program.executable)[.size] as? Int)
    #expect(report.fileSize == size)
    #expect(report.sections.reduce(0) { $0 + $1.bytes } == size)
    let owned = report.modules.reduce(0) { $0 + $1.bytes }
    #expect(owned + report.others.reduce(0) { $0 + $1.bytes } == size)
    var sections: [String: Int] = [:]
    for line in try Command.check(["llvm-size", "-A", program.executable]).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3, let bytes = Int(words[1]) {
        sections[String(words[0]), default: 0] += bytes
      }
    }
    for part in report.sections where part.name.hasPrefix(".") && sections[part.name] != nil {
      #expect(part.bytes == sections[part.name], "\(part.name)")
    }
    guard !options.contains("-Wl,-s") else { return }
    let symbols = Dictionary(
      report.symbols.map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
    for line in try Command.check(["llvm-nm", "-S", program.executable]).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 4, ["main", "used", "unused", "table"].contains(words[3]) else {
        continue
      }
      #expect(symbols[String(words[3])] == Int(words[1], radix: 16))
    }
    #expect(symbols["table"] == 5000)
  }

  @Test func aProfileShowsWhatRan() throws {
    let program = try Fixture.c(Self.source, flags: Fixture.plain)
    let profile = program.directory.path("p.flp")
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program.executable])
    let report = try report(program, profile)
    func called(_ name: String) -> Bool? { report.symbols.first { $0.name == name }?.called }
    #expect(called("main") == true && called("used") == true && called("unused") == false)
    #expect(called("table") == nil)
    let other = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let elsewhere = other.directory.path("elsewhere")
    try FileManager.default.moveItem(atPath: other.executable, toPath: elsewhere)
    let refused = try Command.run([Toolchain.firstlight, "size", elsewhere, profile])
    #expect(refused.status == 65 && refused.errors.contains("has no recording of \(elsewhere)"))
  }

  /// Of a C++ header, neither the version of its library nor a folder inside it is the module.
  @Test func modulesHaveTheNamesThatPeopleKnow() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      "#include <map>\nint inner(int x) { std::map<int, int> m; m[x] = x; return (int)m.size(); }\n",
      to: "project/src/inner/code.cpp")
    try directory.write(
      "int inner(int); int main() { return inner(2) - 1; }\n", to: "project/main.cpp")
    try Command.check(["git", "init", "-q", "project"], in: directory.url)
    let project = directory.url.appending(path: "project")
    try Command.check(
      ["g++", "-g", "-O0", "main.cpp", "src/inner/code.cpp", "-o", "app"], in: project)
    let text = try Command.check(
      [Toolchain.firstlight, "size", "app", "--format", "json"], in: project)
    let names = try JSONDecoder().decode(Report.self, from: Data(text.utf8)).modules.map(\.name)
    #expect(Set(names).isSuperset(of: ["project (C)", "src/inner (C)", "c++ (C)"]), "\(names)")
    #expect(!names.contains { $0.wholeMatch(of: /[0-9.]+ \(C\)/) != nil }, "\(names)")
  }

  @Test func sourcesThatAreElsewhereAreOfUnknownOwners() throws {
    let program = try Fixture.c(
      Self.source, options: ["-ffile-prefix-map=/=/elsewhere/"], flags: Fixture.plain)
    let owners = Set(try report(program).modules.map(\.owner))
    #expect(owners == [""])
  }

  @Test func swiftModulesAndTheirCallersAreNamed() throws {
    let program = try Fixture.swift(
      """
      @inline(never) func text(_ n: Int) -> String { "\\(n)" + String(repeating: "x", count: n) }
      print(text(CommandLine.arguments.count))
      """, flags: [])
    let report = try report(program, "--own", "*main.swift")
    let main = try #require(report.modules.first { $0.owner == "own" })
    #expect(["main", "program"].contains(main.name) && main.bytes > 100)
    #expect(report.sections.reduce(0) { $0 + $1.bytes } == report.fileSize)
  }

  @Test func growthIsThatOfTheFiles() throws {
    let old = try Fixture.c(Self.source, flags: Fixture.plain)
    let new = try Fixture.c(
      Self.source.replacing("5000", with: "9000"), flags: Fixture.plain)
    struct Growth: Decodable {
      struct Row: Decodable {
        var name: String
        var growth: Int
      }
      var growth: Int
      var sections: [Row]
      var modules: [Row]
      var symbols: [Row]
    }
    let text = try Command.check([
      Toolchain.firstlight, "size", new.executable, "--against", old.executable, "--format", "json",
    ])
    let growth = try JSONDecoder().decode(Growth.self, from: Data(text.utf8))
    #expect(growth.sections.reduce(0) { $0 + $1.growth } == growth.growth)
    #expect(growth.modules.reduce(0) { $0 + $1.growth } == growth.growth)
    #expect(growth.symbols.first { $0.name == "table" }?.growth == 4000)
    let table = try Command.check([
      Toolchain.firstlight, "size", new.executable, "--against", old.executable,
    ])
    #expect(table.contains("+3.9 KiB"))
  }

  /// Oracle: a browser.
  @Test func thePageDrawsModules() throws {
    let program = try Fixture.c(Self.source, flags: Fixture.plain)
    let page = program.directory.path("size.html")
    try Command.check([Toolchain.firstlight, "size", program.executable, "-o", page])
    struct Answers: Decodable {
      var errors: [String]
      var tiles: Int
      var titles: [String]
      var opened: [String]
    }
    let answers = try Browser.ask(
      try String(contentsOfFile: page, encoding: .utf8),
      """
      const titles = () => [...map.querySelectorAll("title")].map(title => title.textContent);
      answers.tiles = map.querySelectorAll("rect").length;
      answers.titles = titles();
      map.querySelector("g[role=button]").dispatchEvent(new MouseEvent("click"));
      answers.opened = titles();
      """, as: Answers.self)
    #expect(answers.errors.isEmpty, "\(answers.errors)")
    #expect(answers.tiles == answers.titles.count && answers.tiles > 3)
    #expect(answers.titles.contains { $0.hasPrefix("symbols and relocations: ") })
    #expect(answers.opened.contains("table: 4.9 KiB"))
  }
}
