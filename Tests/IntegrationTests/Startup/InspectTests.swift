import Foundation
import TestSupport
import Testing

/// `inspect` on real programs; readelf is the oracle.
@Suite(.tags(.compiler)) struct InspectTests {
  struct Account: Decodable {
    struct Relocations: Decodable {
      var counts: [String: Int]
      var packed: Int
      var dirtiedPages: Int
    }
    struct Finding: Decodable {
      struct Detail: Decodable {
        var label: String
        var count: Int?
        var pages: Int?
        var text: String?
      }
      var topic: String
      var pages: Int?
      var advice: String?
      var details: [Detail]
    }
    var relocations: Relocations
    var needed: [String]
    var findings: [Finding]

    func finding(_ topic: String) -> Finding? { findings.first { $0.topic == topic } }
  }

  private func account(_ arguments: [String]) throws -> Account {
    let text = try Command.check(
      [Toolchain.firstlight, "inspect", "--format", "json"] + arguments)
    return try JSONDecoder().decode(Account.self, from: Data(text.utf8))
  }

  private static let pointers = """
    static int a[2000];
    #define P &a[__COUNTER__]
    #define P10 P, P, P, P, P, P, P, P, P, P
    #define P100 P10, P10, P10, P10, P10, P10, P10, P10, P10, P10
    int *table[] = {P100, P100, P100, P100, P100, P100, P100, P100, P100, P100};
    int main(int count, char **arguments) { return arguments[0][0] == *table[count]; }
    """

  @Test func packedRelocationsAreToldFromPlainOnes() throws {
    let plain = try Fixture.c(Self.pointers, flags: ["-fuse-ld=lld"])
    let packed = try Fixture.c(
      Self.pointers, flags: ["-fuse-ld=lld", "-Wl,-z,pack-relative-relocs"])
    let before = try account([plain.executable])
    let after = try account([packed.executable])
    #expect(before.relocations.counts == after.relocations.counts)
    #expect(before.relocations.packed == 0)
    #expect(after.relocations.packed >= 1000)
    #expect(before.relocations.dirtiedPages == after.relocations.dirtiedPages)
    let first = try #require(before.finding("relocations"))
    #expect(first.advice?.contains("-z,pack-relative-relocs") == true)
    let second = try #require(after.finding("relocations"))
    #expect(second.advice?.contains("pack-relative-relocs") == false)
    // 1,000 relocations of 24 bytes lie in 6 or 7 pages; packed ones in 1 or 2.
    #expect(try #require(first.pages) >= (try #require(second.pages)) + 4)
  }

  @Test func aMapNamesTheArchiveWhoseFunctionsShareASection() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int f(void) { return 1; } int g(void) { return 2; }", to: "shared.c")
    try directory.write(
      "int f(void); int g(void); int main(void) { return f() - g() + 1; }", to: "main.c")
    try Command.check(["clang", "-c", "shared.c"], in: directory.url)
    try Command.check(["llvm-ar", "rcs", "libshared.a", "shared.o"], in: directory.url)
    for linker in ["lld", "bfd"] {
      try Command.check(
        [
          "clang", "-fuse-ld=\(linker)", "-ffunction-sections", "main.c", "libshared.a",
          "-Wl,-Map=map", "-o", "p",
        ], in: directory.url)
      let found = try account([directory.path("p"), "--map", directory.path("map")])
      let finding = try #require(found.finding("own-sections"))
      let archive = try #require(finding.details.first { $0.label.hasSuffix("libshared.a") })
      #expect(archive.text?.hasPrefix("2 functions") == true)
    }
  }

  @Test func aBinaryWithGuardsIsNotTheOneToShip() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    #expect(try account([program.executable]).findings.first?.topic == "instrumentation")
    let text = try Command.check([Toolchain.firstlight, "inspect", program.executable])
    #expect(text.contains("do not ship or benchmark it"))
  }

  @Test func aLibraryWithoutUseIsNamed() throws {
    let program = try Fixture.c(
      "int main(void) { return 0; }", flags: ["-fuse-ld=lld"],
      link: ["-Wl,--no-as-needed", "-lm"])
    let found = try account([program.executable])
    #expect(found.needed.contains("libm.so.6"))
    #expect(found.finding("libraries")?.advice?.contains("libm.so.6") == true)
  }

  /// readelf knows how many records there are, nm where their descriptors are.
  @Test func conformanceRecordsAreCounted() throws {
    let program = try Fixture.swift(
      """
      protocol Shape {}
      struct Square: Shape, Hashable {}
      enum Kind: String, CaseIterable { case round, flat }
      extension Int: Shape {}
      print(Square() as Any is any Shape, Kind.allCases.count)
      """, options: ["-Onone", "-static-stdlib"], flags: [])
    let sections = try Command.check(["readelf", "-SW", program.executable])
    let line = try #require(
      sections.split(separator: "\n").first { $0.contains(" swift5_protocol_conformances ") })
    // After the closing bracket: name, type, address, offset, size.
    let words = line.split(separator: "]")[1].split(separator: " ")
    let records = try #require(Int(words[4], radix: 16)) / 4
    let descriptors = try Command.check(["nm", program.executable]).split(separator: "\n")
      .filter { $0.hasSuffix("Mc") }.map { $0.split(separator: " ") }
    let pages = Set(descriptors.map { Int($0[0], radix: 16)! / 4096 })
    let finding = try #require(try account([program.executable]).finding("conformances"))
    func count(_ label: String) -> Int? {
      finding.details.first { $0.label == label }.flatMap { $0.count ?? $0.pages }
    }
    #expect(count("records") == records)
    #expect(count("pages of their descriptors") == pages.count)
    let own = try Command.check(["swift-demangle", "-compact"] + descriptors.map { String($0[2]) })
      .split(separator: "\n").count { $0.hasSuffix(" in program") }
    #expect(count("in program") == own && own > 5)
    #expect(records > 500)
  }

  @Test func otherFilesFailWithTheirExitCode() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("text", to: "text")
    let program = try Fixture.c("int main(void) { return 0; }", flags: ["-fuse-ld=lld"])
    let cases: [([String], Int32, String)] = [
      ([text], 65, "not an ELF file"), (["/nonexistent"], 66, "cannot be opened"),
      ([program.executable, "--map", text], 65, "not a linker map"),
      ([program.executable, "--map", "/nonexistent"], 66, "No such file"), ([], 64, "binary"),
    ]
    for (arguments, status, words) in cases {
      let result = try Command.run([Toolchain.firstlight, "inspect"] + arguments)
      #expect(result.status == status)
      #expect(result.errors.contains(words))
    }
  }
}
