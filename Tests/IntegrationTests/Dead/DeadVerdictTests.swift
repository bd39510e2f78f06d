import Foundation
import TestSupport
import Testing

/// Each verdict on programs that the real compilers built.
@Suite(.tags(.compiler)) struct DeadVerdictTests {
  private func record(_ executable: String, in directory: TemporaryDirectory) throws -> String {
    let profile = directory.path("p.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", executable])
    return profile
  }

  @Test func swiftFunctionsGetTheirVerdicts() throws {
    let directory = try TemporaryDirectory()
    let executable = try DeadFixture.swift(
      ["-Onone"], flags: Toolchain.flags("swiftc"), in: directory, name: "zoo")
    let profile = try record(executable, in: directory)
    let all = try Answer.dead([profile, "--all"])
    #expect(all.equation.isBalanced && all.equation.sum == all.equation.guards)
    let expected: [(String, String)] = [
      ("(extension in Zoo):Zoo.Shape.name()", "called"),
      ("(extension in Zoo):Zoo.Shape.unusedDefault()", "never called"),
      ("Zoo.Square.init(side:", "called"), ("Zoo.Square.area()", "called"),
      ("Zoo.Ring.area()", "never called"), ("Zoo.Ring.init(", "compiler-generated"),
      ("Zoo.Clamped.wrappedValue : ", "called"), ("Zoo.Animal.sound : ", "called"),
      ("static Zoo.Animal.kingdom : ", "called"),
      ("static Zoo.Animal.neverRead : ", "never called"),
      ("Zoo.Animal.neverSpeak()", "never called"), ("Zoo.Animal.speak()", "called"),
      ("Zoo.Dog.fetch(", "called"), ("Zoo.apply<", "called"),
      ("Zoo.neverGeneric<", "never called"), ("Zoo.Counter.add(", "called"),
      ("Zoo.Counter.neverReset()", "never called"), ("Zoo.giveUp()", "not instrumented"),
      ("Zoo.keptByComment()", "kept"), ("Zoo.staleKeep()", "called"),
      ("Zoo.computedNever : ", "never called"),
    ]
    for (name, verdict) in expected {
      #expect(all.verdicts(name) == [verdict], "\(name): \(all.verdicts(name))")
    }
    #expect(all.staleKeeps == ["Zoo.staleKeep() -> Swift.Int"])
    // Nothing that nobody wrote, and each function once.
    let listed = try Answer.dead([profile]).functions.map(\.name)
    #expect(
      listed.sorted() == [
        "(extension in Zoo):Zoo.Shape.unusedDefault() -> Swift.Int",
        // Its one instance lives in a global variable.
        "Zoo.Animal.deinit", "Zoo.Animal.neverSpeak() -> Swift.String",
        "Zoo.Counter.neverReset() async -> ()",
        "Zoo.Ring.area() -> Swift.Int", "Zoo.computedNever : Swift.Int",
        "Zoo.neverGeneric<A where A: Swift.Comparable>(Swift.Array<A>) -> Swift.Optional<A>",
        "static Zoo.Animal.neverRead : Swift.String",
      ])
    let reset = all.functions.first { $0.name.hasPrefix("Zoo.Counter.neverReset") }
    #expect(reset?.pieces.contains { $0.kind == "async piece" } == true)
  }

  /// Constants, local variables with observers and default arguments of an enum's cases, all in use.
  @Test(arguments: ["-Onone", "-O"])
  func whatSwiftReadsWithoutACallIsNotListed(option: String) throws {
    let source = """
      public let publicLimit = 10
      let internalLimit: Int = 20
      public enum Code { case normal, other }
      public enum Event { case close(Code = .normal), open }
      public struct S {
        static let one: Int = 1
        static let neverText = String(CommandLine.arguments.count)
        static var neverComputed: Int { CommandLine.arguments.count }
        nonisolated(unsafe) static var counter = 0
        @inline(never) public func use(_ n: Int) -> Int {
          var local = n { didSet { S.counter += local } }
          local += 1
          return n <= S.one ? internalLimit : publicLimit + local
        }
        @inline(never) func never() -> Int { 3 }
      }
      @main enum Program {
        static func main() {
          print(S().use(CommandLine.arguments.count), Event.close(.other))
          if CommandLine.arguments.count > 5 { print(S().never()) }
        }
      }

      """
    let directory = try TemporaryDirectory()
    let executable = try DeadFixture.build(
      module: "M", ["M.swift": source], [option, "-parse-as-library"] + Toolchain.flags("swiftc"),
      in: directory, name: "program")
    let profile = try record(executable, in: directory)
    let all = try Answer.dead([profile, "--all"])
    for name in [
      "M.publicLimit : ", "M.internalLimit : ", "static M.S.one : ", "local #1 : ",
      "M.Event.close(",
    ] {
      #expect(!all.verdicts(name).contains("never called"), "\(name): \(all.verdicts(name))")
    }
    guard option == "-Onone" else { return }
    #expect(all.verdicts("M.S.never()") == ["never called"])
    #expect(all.verdicts("M.publicLimit : ") == ["inlined"])
    #expect(all.verdicts("local #1 : ") == ["called"])
    #expect(all.verdicts("default argument 0 of M.Event.close(") == ["never called"])
    #expect(all.verdicts("static M.S.neverText : ") == ["never called"])
    #expect(all.verdicts("static M.S.neverComputed : ") == ["never called"])
  }

  @Test(arguments: ["-O0", "-O2"])
  func cxxFunctionsGetTheirVerdicts(option: String) throws {
    let directory = try TemporaryDirectory()
    let executable = try DeadFixture.cxx(
      [option], flags: Toolchain.flags("clang"), in: directory, name: "program")
    let profile = try record(executable, in: directory)
    let all = try Answer.dead([profile, "--all"])
    #expect(all.equation.isBalanced && all.equation.sum == all.equation.guards)
    #expect(all.verdicts("main") == ["called"])
    // Two names of one function, which an optimiser copies into main.
    #expect(
      all.verdicts("real_one").union(all.verdicts("alias_one"))
        == [option == "-O0" ? "called" : "inlined"])
    guard option == "-O0" else {
      // An optimiser left no code of these: they are not dead.
      #expect(!all.verdicts("in_header").contains("never called"))
      #expect(!all.verdicts("helper").contains("dropped"))
      return
    }
    // Two of one name in two files.
    #expect(
      all.functions.filter { $0.name == "helper(int)" }.map(\.verdict).sorted() == [
        "called", "never called",
      ])
    #expect(all.verdicts("in_header") == ["called"])
    #expect(all.verdicts("never_in_header") == ["never called"])
    #expect(all.functions.filter { $0.name.contains("larger<") }.map(\.verdict) == ["called"])
    #expect(all.verdicts("int never_template<") == ["never called"])
    #expect(all.verdicts("never_pointed") == ["never called"])
    #expect(all.verdicts("pointed") == ["called"])
    #expect(all.verdicts("Base::Base(int)") == ["called"])
    #expect(all.verdicts("Base::~Base()") == ["called"])
    #expect(all.verdicts("Base::never_virtual") == ["never called"])
    #expect(all.verdicts("weak_one") == ["never called"])
  }

  @Test func functionsDroppedByTheLinkerComeFromItsList() throws {
    let source = """
      int used(int x) { return x + 1; }
      int dropped_one(int x) { return x * 2; }
      int main(int count, char **v) { (void)v; return used(count) > 100; }
      """
    let program = try Fixture.c(source, options: ["-O0"], link: ["-Wl,--gc-sections"])
    let list = try Command.run(
      [
        "clang", "-O0", "-ffunction-sections", "-fuse-ld=lld",
        "-Wl,--gc-sections,--print-gc-sections",
        program.directory.path("main.c"), "-o", program.directory.path("plain"),
      ])
    let drops = try program.directory.write(list.output + list.errors, to: "gc.txt")
    let all = try Answer.dead([program.record(), "--all", "--gc-sections", drops])
    #expect(all.verdicts("used") == ["called"])
    #expect(all.verdicts("dropped_one") == ["dropped"])
  }
}
