import Foundation
import TestSupport
import Testing

/// What `dead --index` says of the functions of programs that real compilers indexed.
@Suite(.tags(.compiler)) struct DeadReferenceTests {
  private static let swift = """
    protocol Priced { func price() -> Int }
    struct Ware: Priced {
      func price() -> Int { 3 }
      func hidden() -> Int { secret() }
      func secret() -> Int { 4 }
    }
    func rare() -> Int { 5 }
    func printed(_ ware: any Priced) -> Int { ware.price() }
    if CommandLine.arguments.count > 1 { print(rare(), printed(Ware())) }
    print("done")

    """
  private static let c = """
    static int kept(int x) { return x + 1; }
    int called_by_kept(int x) { return kept(x); }
    __attribute__((used)) static int used_by_name(int x) { return x; }
    int main(int count, char **v) { (void)v; return count > 5 ? kept(count) : 0; }

    """

  private struct Document: Decodable {
    struct Function: Decodable {
      struct References: Decodable {
        var verdict: String
        var isDeletable: Bool
        var line: Int?
        var by: String?
        var functions: Int?
      }
      var shortName: String
      var references: References?
    }
    var functions: [Function]

    subscript(name: String) -> Function.References? {
      functions.first { $0.shortName == name }?.references
    }
  }

  private func dead(_ program: Fixture, _ arguments: String...) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "dead"] + arguments, in: program.directory.url)
  }

  private func document(_ program: Fixture) throws -> Document {
    let result = try dead(
      program, try program.record(), "--index", "auto", "--format", "json")
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
  }

  @Test func swiftFunctionsHaveTheirReferences() throws {
    let program = try Fixture.swift(
      Self.swift, options: ["-Onone", "-index-store-path", "index-store"])
    let document = try document(program)
    #expect(document["Ware.hidden()"]?.verdict == "unreferenced")
    #expect(document["Ware.hidden()"]?.functions == 2)
    #expect(document["Ware.secret()"]?.verdict == "falls with")
    #expect(document["Ware.secret()"]?.by == "Ware.hidden()")
    #expect(document["Ware.price()"]?.verdict == "implements")
    #expect(document["Ware.price()"]?.by == "Priced.price()")
    #expect(document["rare()"]?.verdict == "live code")
    #expect(document["rare()"]?.line == 9)
    #expect(document["rare()"]?.isDeletable == false)
  }

  @Test func functionsOfCHaveTheirReferences() throws {
    let program = try Fixture.c(Self.c, options: ["-O0"])
    try Command.check(
      ["clang", "-c", "main.c", "-index-store-path", "index-store", "-o", "main.o"],
      in: program.directory.url)
    let document = try document(program)
    #expect(document["called_by_kept"]?.verdict == "unreferenced")
    #expect(document["kept"]?.verdict == "live code")
    #expect(document["used_by_name"]?.verdict == "reached by name")
  }

  @Test func sourceThatChangedSinceIsRefused() throws {
    let program = try Fixture.swift(
      Self.swift, options: ["-Onone", "-index-store-path", "index-store"])
    let profile = try program.record()
    try Command.check(["touch", "-d", "1 hour", "main.swift"], in: program.directory.url)
    let result = try dead(program, profile, "--index", "auto")
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("changed after"))
  }

  @Test func anAbsentIndexIsReported() throws {
    let program = try Fixture.c(Self.c)
    let result = try dead(program, try program.record(), "--index", "auto")
    #expect(result.status == 66)
    #expect(result.errors.contains("-index-store-path"))
    #expect(result.output.isEmpty)
  }
}
