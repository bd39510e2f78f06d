import Building
import FirstlightModel
import Testing

@Suite struct TestEvidenceTests {
  /// A profile in which these functions, by name and file, were called, and one more was not.
  private func ran(_ called: (String, String?)...) -> Bool {
    let all = called + [("Shop.never()", "/shop/Sources/Shop/shop.swift")]
    return TestEvidence.ran(in: profile(all, called: called.count), project: "/shop")
  }

  private func profile(_ names: [(String, String?)], called: Int) -> Profile {
    let functions = names.map { name, file in
      Function(
        address: 0x1000, size: 10, name: name, demangledName: name, module: "", file: file,
        line: 1, isCompilerGenerated: false, isLocal: false)
    }
    let build = Build(
      buildID: BuildID("aa")!, path: "/bin/tests", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: functions,
      entryGuards: functions.indices.map { UInt32($0) }, guardCount: functions.count)
    let coverage = functions.indices.map { GuardCoverage(runs: $0 < called ? 1 : 0) }
    return Profile(builds: [RecordedBuild(build: build, runs: 1, coverage: coverage)])
  }

  @Test func makingTheListOfTestsIsNoTest() {
    let tests = "/shop/Tests/ShopTests/tests.swift"
    #expect(
      !ran(
        ("ShopTests.A.__allocating_init(name: Swift.String, testClosure: X) -> ShopTests.A", tests),
        ("ShopTests.A.init(name: Swift.String, testClosure: X) -> ShopTests.A", tests),
        ("variable initialization expression of ShopTests.A.x : Swift.Int", tests),
        ("ShopTests.A.deinit", tests), ("ShopTests.A.__deallocating_deinit", tests),
        ("closure #1 in generator", "/tmp/swift-generated-sources/@__swiftmacro_1a.swift"),
        ("main", "/shop/.build-firstlight/debug/ShopPackageTests.derived/runner.swift"),
        ("start()", "/shop/.build-firstlight/checkouts/swift-testing/Sources/a.swift"),
        ("merged", nil)))
  }

  @Test(arguments: ["/shop/Tests/ShopTests/tests.swift", "/shop/Checks/a.swift"])
  func aCalledTestIsOne(file: String) {
    #expect(ran(("ShopTests.A.testA() -> ()", file)))
  }

  @Test func nothingIsSaidOfAProjectThatIsNotSeen() {
    let profile = profile([("f", "/elsewhere/a.swift"), ("g", nil)], called: 0)
    #expect(TestEvidence.ran(in: profile, project: "/shop"))
  }
}
