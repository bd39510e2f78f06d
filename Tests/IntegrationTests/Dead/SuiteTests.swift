import Foundation
import TestSupport
import Testing

/// `test` in a Swift package that knows nothing of it.
@Suite(.serialized, .tags(.compiler)) struct SuiteTests: SuiteCommands {
  /// A package with a dependency, whose tests do as the environment says; built once.
  private static let package = Result { () -> TemporaryDirectory in
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Log", products: [.library(name: "Log", targets: ["Log"])],
        targets: [.target(name: "Log")])
      """, to: "Log/Package.swift")
    try directory.write(
      """
      public func log(_ text: String) { print(text) }
      public func neverLog(_ text: String) { print(text) }
      """, to: "Log/Sources/Log/log.swift")
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "Shop", dependencies: [.package(path: "../Log")],
        targets: [
          .target(name: "CTax"), .target(name: "Idle"),
          .target(name: "Aside", path: "More/Code"),
          .target(name: "Wares", dependencies: ["CTax", "Log"]),
          .testTarget(name: "WaresTests", dependencies: ["Wares"]),
        ])
      """, to: "Shop/Package.swift")
    try directory.write("public func idle() {}\n", to: "Shop/Sources/Idle/idle.swift")
    try directory.write("public func aside() {}\n", to: "Shop/More/Code/aside.swift")
    try directory.write("int tax(int);\nint old_tax(int);\n", to: "Shop/Sources/CTax/include/tax.h")
    try directory.write(
      "int tax(int x) { return x / 5; }\nint old_tax(int x) { return x / 10; }\n",
      to: "Shop/Sources/CTax/tax.c")
    try directory.write(
      """
      import CTax
      import Log
      public struct Ware {
        public var price: Int
        public init(price: Int) { self.price = price }
        public func gross() -> Int { log("gross"); return price + Int(tax(Int32(price))) }
        private func reduced(by percent: Int, _ text: String) -> Int { price * percent }
        public func never() -> Int { reduced(by: 3, "") }
      }
      """, to: "Shop/Sources/Wares/Ware.swift")
    try directory.write(
      """
      import Foundation
      import Wares
      import XCTest
      final class WaresTests: XCTestCase {
        func testGross() { XCTAssertEqual(Ware(price: 10).gross(), 12) }
        func testFate() {
          switch ProcessInfo.processInfo.environment["FATE"] {
          case "fail": XCTFail("as told")
          case "crash": fatalError("as told")
          default: break
          }
        }
        func neverHelp() { print("help") }
      }
      """, to: "Shop/Tests/WaresTests/WaresTests.swift")
    return directory
  }

  /// The files of SwiftPM's own build folder with the moments of their last change.
  private func state(of folder: String) -> [String: Date] {
    var state: [String: Date] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      state[name] = attributes?[.modificationDate] as? Date
    }
    return state
  }

  @Test func aPackageIsTestedAndListedBesideItsBuild() throws {
    let directory = try Self.package.get()
    try Command.check(["swift", "build"], in: directory.url.appending(path: "Shop"))
    let before = state(of: directory.path("Shop/.build"))
    // A folder within the package will do.
    let result = try test([], in: directory, folder: "Shop/Sources")
    try #require(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Executed 2 tests, with 0 failures"))
    #expect(names(result.output) == ["old_tax", "Ware.reduced(by:_:)", "Ware.never()"])
    #expect(result.output.contains("Wares  Wares/Ware.swift"))
    #expect(result.output.contains("1 more in dependencies, 1 in tests: --dependencies lists them"))
    #expect(result.output.contains(/50% +4 +2 +[0-9]+ B +Wares/))
    #expect(result.errors.contains("the first time compiles everything"))
    #expect(result.errors.contains("recorded "))
    #expect(result.errors.contains("not listed, as no test links them: Aside, Idle\n"))
    #expect(state(of: directory.path("Shop/.build")) == before)
    #expect(
      try String(
        contentsOfFile: directory.path("Shop/.build-firstlight/.gitignore"), encoding: .utf8)
        == "*\n")

    // The profile is kept, and what is printed as next works.
    let again = try Command.run(
      [Toolchain.firstlight, "dead"], in: directory.url.appending(path: "Shop"))
    #expect(again.status == 0)
    #expect(again.errors.contains("reading .build-firstlight/tests.flp"))
    #expect(again.output.contains("Wares  Sources/Wares/Ware.swift"))
    #expect(names(again.output) == names(result.output))
    let next = result.errors.split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /firstlight: next: (.*)/).map { String($0.1) }
    }
    let pasted = try Command.run(
      ["sh", "-c", try #require(next.first)], in: directory.url.appending(path: "Shop/Sources"),
      environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
    #expect(next.count == 1 && pasted.status == 0, "\(next): \(pasted.errors)")
    #expect(FileManager.default.fileExists(atPath: directory.path("Shop/Sources/dead.html")))
    try FileManager.default.removeItem(atPath: directory.path("Shop/Sources/dead.html"))
  }

  @Test func theExitCodeIsThatOfTheTests() throws {
    let directory = try Self.package.get()
    for fate in ["fail", "crash"] {
      let result = try test(["Shop"], in: directory, environment: ["FATE": fate])
      #expect(result.status == 1 && !result.signalled, "\(fate): \(result.errors)")
      #expect(result.errors.contains("the tests failed (exit status 1)"))
      #expect(names(result.output).contains("Ware.never()"))
      #expect(result.output.contains("Wares  Shop/Sources/Wares/Ware.swift"))
    }
    // A gate counts own code, and counts only if the tests pass.
    let strict = try test(["Shop", "--strict", "-o", "list.txt"], in: directory)
    #expect(strict.status == 1 && strict.errors.contains("--strict: 3 functions listed"))
    let file = try String(contentsOfFile: directory.path("list.txt"), encoding: .utf8)
    #expect(names(file).count == 3)
    let loose = try test(
      ["Shop", "--max-dead", "3", "--limit", "2", "--full-names"], in: directory)
    #expect(loose.status == 0)
    #expect(names(loose.output).count == 2 && loose.output.contains("Wares.Ware.(reduced in _"))
    #expect(loose.output.contains("and 1 more: raise --limit"))
  }

  @Test func argumentsGoToTheTestRunner() throws {
    let directory = try Self.package.get()
    let some = try test(["Shop", "--", "--filter", "testFate"], in: directory)
    #expect(some.status == 0, "\(some.errors)")
    #expect(names(some.output).contains("Ware.gross()"))
    // It does not replace the profile of all tests.
    #expect(some.errors.contains("-> Shop/.build-firstlight/tests.partial.flp"), "\(some.errors)")
    #expect(some.errors.contains("the arguments after -- may have chosen some tests: "))
    // No test: the profile of the run before stays.
    let profile = directory.path("Shop/.build-firstlight/tests.partial.flp")
    let before = try Data(contentsOf: URL(filePath: profile))
    let none = try test(["Shop", "--", "--filter", "NoSuchTest"], in: directory)
    #expect(none.status == 65 && names(none.output).isEmpty, "\(none.errors)")
    #expect(none.errors.contains("error: no test ran: swift test --filter NoSuchTest; "))
    #expect(try Data(contentsOf: URL(filePath: profile)) == before)
    let unknown = try test(["Shop", "--", "--no-such-option"], in: directory)
    #expect(unknown.status == 65)
    #expect(
      unknown.errors.contains("nothing was recorded (tests: exit status 64)"), "\(unknown.errors)")
  }

  @Test func aBuildThatFailsIsExplained() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "Bad", targets: [.target(name: "Bad")])
      """, to: "Package.swift")
    try directory.write("let x: Int = nothing\n", to: "Sources/Bad/bad.swift")
    let result = try test([], in: directory)
    #expect(result.status == 65)
    #expect(result.errors.contains("cannot find 'nothing' in scope"), "\(result.errors)")
    #expect(result.errors.contains("the build ended with exit status 1: swift build --build-tests"))
    #expect(result.output.isEmpty)
  }

  @Test func whatIsMissingIsNamed() throws {
    let directory = try TemporaryDirectory()
    func expect(
      _ status: Int32, _ words: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
      let result = try test(arguments, in: directory, environment: environment)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
    }
    try expect(66, "has no Package.swift or CMakeLists.txt", [])
    #expect(directory.entries.isEmpty)
    try expect(66, "absent: no such folder", ["absent"])
    try expect(64, "--build needs --run", ["--build", "make"])
    try expect(
      69, "cc: not found on PATH", ["--run", "true"], environment: ["PATH": "/nonexistent"])
    try expect(
      69, "swift: not found on PATH", ["--run", "swift test"],
      environment: ["PATH": "/usr/bin:/bin"])
    let dead = try Command.run([Toolchain.firstlight, "dead"], in: directory.url)
    #expect(dead.status == 66 && dead.errors.contains("no profile (*.flp) in this folder"))
  }
}
