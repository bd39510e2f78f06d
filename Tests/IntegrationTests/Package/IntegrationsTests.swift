import Foundation
import TestSupport
import Testing

/// The commands of Documentation/Integrations.md on files of other tools, as they are printed.
@Suite(.tags(.compiler)) struct IntegrationsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(
      """
      int never(int x) { return x + 1; }
      __attribute__((noinline)) int second(int x) { __asm__ volatile(""); return x * 2; }
      __attribute__((noinline)) int first(int x) { __asm__ volatile(""); return x * 3; }
      int main(int count, char **v) {
        (void)v;
        first(count);
        return second(count) > 9 ? never(count) : 0;
      }

      """, to: "main.c")
  }

  /// Runs the first commands under a heading that contain a word.
  private func run(_ heading: String, _ word: String) throws -> String {
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Integrations.md"),
      encoding: .utf8)
    let section = try #require(page.components(separatedBy: "# \(heading)\n").dropFirst().first)
    let blocks = section.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }
    let commands = try #require(blocks.first { $0.element.contains(word) }?.element)
    return try Command.check(
      ["sh", "-e", "-c", commands], in: directory.url,
      environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
  }

  @Test func llvm() throws {
    _ = try run("LLVM profiles", "firstlight import llvm")
    let order = try String(contentsOfFile: directory.path("app.order"), encoding: .utf8)
    #expect(
      order.split(separator: "\n").filter { !$0.hasPrefix("#") } == ["main", "first", "second"])
  }

  @Test func redLines() throws {
    let program = try Fixture.c(
      String(contentsOfFile: directory.path("main.c"), encoding: .utf8), options: ["-O0"])
    try FileManager.default.moveItem(
      atPath: try program.record(), toPath: directory.path("app.flp"))
    _ = try run("Editors", "genhtml")
    let pages = FileManager.default.enumerator(atPath: directory.path("never-called"))
    let name = try #require(
      pages?.compactMap { $0 as? String }.first { $0.hasSuffix("main.c.gcov.html") })
    let page = try String(contentsOfFile: directory.path("never-called/\(name)"), encoding: .utf8)
    // Uncovered lines have a class of their own: "lineNoCov", since version 2 "tlaUNC".
    let red = page.split(separator: "\n").filter {
      $0.contains("class=\"lineNoCov\"") || $0.contains("class=\"tlaUNC")
    }
    #expect(red.count == 1 && red[0].contains("int never(int x)"), "\(red)")
  }

  /// The Swift Package Index builds the documentation that Scripts/docs builds.
  @Test func packageIndexDocumentsTheProducts() throws {
    let manifest = try String(
      contentsOf: Toolchain.project.appending(path: ".spi.yml"), encoding: .utf8)
    let targets = try #require(manifest.firstMatch(of: /documentation_targets: \[(.+)\]/)?.1)
    let products = try FileManager.default.contentsOfDirectory(
      atPath: Toolchain.project.appending(path: "Sources/Products").path)
    #expect(
      targets.components(separatedBy: ", ").sorted()
        == products.filter { !$0.hasPrefix(".") }.sorted())
    #expect(manifest.contains("platform: linux\n"))
  }
}
