import FirstlightModel
import Testing

@testable import NeverCalled

/// Whose code is whose, by where its source lies.
@Suite struct OwnCodeTests {
  @Test(arguments: [
    ("/home/me/app/Sources/App/main.swift", CodeOrigin.own),
    ("/home/me/app/main.c", .own),
    ("/home/me/app/Sources/TestSupport/a.swift", .own),
    ("/home/me/app/Tests/AppTests/a.swift", .tests),
    ("/home/me/app/AppTests/a.swift", .tests),
    ("/home/me/app/lib/test/a.c", .tests),
    ("/home/me/app/list/test_list.c", .tests),
    ("/home/me/app/list/list_test.cpp", .tests),
    ("/home/me/app/list/list_test.h", .own),
    ("/home/me/app/test.c", .own),
    ("/home/me/app/contest.c", .own),
    ("/home/me/app/.build/checkouts/swift-log/Sources/Logging/Logger.swift", .dependency),
    ("/home/me/app/.build-firstlight/debug/App.build/DerivedSources/bundle.swift", .dependency),
    ("/home/me/app/out/checkouts/swift-log/a.swift", .dependency),
    ("/home/me/app/build/_deps/json-src/json.c", .dependency),
    ("/home/me/app/vendor/zlib/inflate.c", .dependency),
    ("/home/me/app2/main.c", .dependency),
    ("/usr/include/c++/12/bits/stl_vector.h", .dependency),
  ])
  func thePlaceShowsWhoseItIs(file: String, origin: CodeOrigin) {
    #expect(OwnCode(roots: ["/home/me/app"]).origin(of: file) == origin)
  }

  @Test func aFoldersNameAboveTheProjectSaysNothing() {
    #expect(
      OwnCode(roots: ["/vendor/.tmp/Tests/app"]).origin(of: "/vendor/.tmp/Tests/app/a.c") == .own)
  }

  @Test func aProjectMayHaveSeveralFolders() {
    let code = OwnCode(roots: ["/app/tests", "/lib"])
    #expect(code.origin(of: "/app/tests/a.c") == .own)
    #expect(code.origin(of: "/lib/tests/a.c") == .tests)
    #expect(code.origin(of: "/app/a.c") == .dependency)
  }

  /// The profile lies in the folder above two checkouts; the program has code of both.
  @Test func theWorkingDirectoryCountsBeforeTheProfilesFolder() {
    let candidates = [OwnCode(roots: ["/home/app"]), OwnCode(roots: ["/home"])]
    for files in [["/home/log/log.c", "/home/app/a.c"], ["/home/app/a.c", "/home/log/log.c"]] {
      let code = OwnCode.first(of: candidates, files: files) { $0 }
      #expect(code?.roots == ["/home/app"])
    }
    #expect(OwnCode.first(of: candidates, files: ["/home/log/log.c"]) { $0 }?.roots == ["/home"])
  }

  @Test func theUsersWordsGoFirst() {
    let code = OwnCode(roots: ["/app"], own: ["mine"], dependencies: ["*.h"])
    #expect(code.origin(of: "/elsewhere/mine/vendor/a.c") == .own)
    #expect(code.origin(of: "/app/a.c") == .dependency)
    #expect(code.origin(of: "/app/mine/a.h") == .dependency)
  }

  @Test func theUserNamesTests() {
    let code = OwnCode(roots: ["/app"], own: ["src"], tests: ["src/checks"])
    #expect(code.origin(of: "/app/src/checks/a.c") == .tests)
    #expect(code.origin(of: "/app/src/a.c") == .own)
  }

  /// Swift functions that the compiler merged have no file.
  private let merged = "App.merged() -> ()"
  private let mergedLog = "Log.mergedLog() -> ()"

  private func report(_ ownCode: OwnCode?) -> DeadCodeReport {
    let functions = [
      Example.function("ran", module: "App", file: "/app/a.c", size: 10),
      Example.function("never", module: "App", file: "/app/a.c", line: 2, size: 30),
      Example.function(
        "$s3App6mergedyyF", demangled: merged, module: "App", file: nil, size: 5),
      Example.function("helper", module: "AppTests", file: "/app/Tests/a.c", size: 7),
      Example.function("log", module: "Log", file: "/app/vendor/a.c", size: 100),
      Example.function(
        "$s3Log9mergedLogyyF", demangled: mergedLog, module: "Log", file: nil, size: 100),
    ]
    var request = NeverCalledRequest()
    request.ownCode = ownCode
    return DeadCodeReport(
      of: Profile(
        builds: [Example.build(functions, called: ["ran": 1, "helper": 1])],
        runs: [Example.run("r")]), for: request)
  }

  @Test func functionsWithoutAFileGoWithTheirModule() {
    let report = report(OwnCode(roots: ["/app"]))
    let origins = Dictionary(
      uniqueKeysWithValues: report.functions.map { ($0.name, $0.origin) })
    #expect(origins[merged] == .own)
    #expect(origins[mergedLog] == .dependency)
    #expect(origins["helper"] == .tests)
    #expect(self.report(nil).functions.allSatisfy { $0.origin == nil })
  }

  @Test func aListOfOwnCodeCountsTheRest() {
    let own = OwnCode(roots: ["/app"])
    let report = report(own)
    let list = DeadCodeList(report, for: Example.request { $0.ownCode = own })
    #expect(list.rows.map(\.name) == [merged, "never"])
    #expect(list.foreignCounts == [.dependency: 2])
    #expect(list.gatedCount == 2)
    #expect(list.sums.functions == 3 && list.sums.foreign == 3 && list.sums.isBalanced)
    #expect(list.bytes(.neverCalled) == 35)
    // Formats for programs are complete, and gates are not about others' code.
    let complete = DeadCodeList(
      report, for: Example.request { ($0.ownCode, $0.listsForeign) = (own, true) })
    #expect(complete.rows.count == 4 && complete.gatedCount == 2)
    #expect(complete.foreignCounts.isEmpty)
    let all = DeadCodeList(report)
    #expect(all.rows.count == 4 && all.gatedCount == 4 && all.sums == report.sums)
  }

  @Test func coverageIsCountedByModule() {
    let report = report(OwnCode(roots: ["/app"]))
    let modules = report.coverage()
    #expect(modules.map(\.name) == ["Log", "App", "AppTests"])
    #expect(modules.map(\.recorded) == [2, 3, 1])
    #expect(modules.map(\.called) == [0, 1, 1])
    #expect(modules[1].neverCalledBytes == 35 && modules[2].share == 1)
    #expect(report.coverage { $0.origin == .own }.map(\.name) == ["App"])
  }

  /// What no debug information tells of may have run, so that nothing tells the share.
  @Test func aShareIsUnknownWithoutDebugInformation() throws {
    let functions = [
      Example.function("ran", file: nil, size: 100), Example.function("idle", file: nil, size: 40),
    ]
    let report = DeadCodeReport(
      of: Profile(
        builds: [Example.build(functions, called: ["ran": 1], hasDebugInfo: false)],
        runs: [Example.run("r")]))
    let module = try #require(report.coverage().first)
    #expect(module.called == 1 && module.recorded == 1 && module.unknown == 1)
    #expect(module.share == nil && module.shareAtLeast == 0.5)
    #expect(DeadCodeList(report).undecided.map(\.name) == ["idle"])
  }

  /// A share of the recorded functions alone would be 100%.
  @Test func aShareIsALowerBoundIfFunctionsMayHaveRunUnseen() throws {
    let functions = ["ran", "idle", "also"].map { Example.function($0, size: 40) }
    let report = DeadCodeReport(
      of: Profile(
        builds: [Example.build(functions, called: ["ran": 1], isOptimised: true)],
        runs: [Example.run("r")]))
    let module = try #require(report.coverage().first)
    #expect(module.functions == 3 && module.unknown == 2 && module.neverCalled == 0)
    #expect(module.share == nil && module.shareAtLeast == 1.0 / 3)
    #expect(DeadCodeList(report).unknownCount == 2)
  }

  /// A C function's name tells no module.
  @Test func aCFunctionIsOfItsTargetOrOfAllItsImages() {
    func build(_ image: String, _ functions: [Function]) -> RecordedBuild {
      var recorded = Example.build(functions, id: image == "one" ? "aa" : "bb")
      recorded.build.path = "/bin/\(image)"
      return recorded
    }
    let shared = [
      Example.function("tax", file: "/app/Sources/CTax/tax.c"),
      Example.function("log", file: "/app/common/log.c"),
    ]
    let own = Example.function("own", file: "/app/common/own.c")
    let report = DeadCodeReport(
      of: Profile(
        builds: [build("one", shared), build("two", shared + [own])], runs: [Example.run("r")]))
    let labels = Dictionary(
      uniqueKeysWithValues: report.functions.map { ($0.name, $0.moduleLabel) })
    #expect(labels == ["tax": "CTax", "log": "one, two", "own": "two"])
  }

  @Test func aCFunctionOfATestBundleIsOfItsTarget() {
    let functions = [
      Example.function("tax", module: "AppTests.xctest", file: "/app/Sources/CTax/more/tax.c"),
      Example.function("run", module: "AppTests.xctest", file: "/app/run.c"),
      Example.function("$s5Wares5priceyyF", module: "Wares", file: "/app/Sources/Shop/price.swift"),
    ]
    let report = DeadCodeReport(
      of: Profile(builds: [Example.build(functions)], runs: [Example.run("r")]))
    #expect(Set(report.coverage().map(\.name)) == ["CTax", "AppTests.xctest", "Wares"])
  }

  @Test func aSwiftProgramsMainIsOfItsModule() {
    let functions = [
      Example.function("main", module: "app-big", file: "/app/Sources/app-big/main.swift"),
      Example.function("help", module: "app_big", file: "/app/Sources/app-big/main.swift"),
      Example.function("tax", module: "app-big", file: "/app/Sources/CTax/tax.c"),
    ]
    let report = DeadCodeReport(
      of: Profile(builds: [Example.build(functions)], runs: [Example.run("r")]))
    #expect(Set(report.coverage().map(\.name)) == ["app_big", "CTax"])
  }

  @Test func aLimitIsOfTheRowsThatTextShows() {
    var list = DeadCodeList(report(nil), for: Example.request { $0.sorting = .bytes })
    #expect(list.shown.count == 4)
    list.limit = 1
    #expect(list.shown.map(\.bytes) == [100] && list.rows.count == 4)
  }

  @Test func namesAreFoundAsTheListHasThem() {
    let functions = [
      Example.function("$s1M1aAAyyF", demangled: "M.S.a(x: Swift.Int) -> ()"),
      Example.function("$s1M1bAAyyF", demangled: "M.S.ab(Swift.Int) -> ()"),
    ]
    let report = DeadCodeReport(
      of: Profile(builds: [Example.build(functions)], runs: [Example.run("r")]))
    func found(_ name: String) -> [String] {
      report.functions(named: name).map(\.mangledName)
    }
    #expect(found("S.a(x:)") == ["$s1M1aAAyyF"])
    #expect(found("$s1M1bAAyyF") == ["$s1M1bAAyyF"])
    #expect(found("S.a*") == ["$s1M1aAAyyF", "$s1M1bAAyyF"])
    #expect(found("ab") == ["$s1M1bAAyyF"])
    #expect(found("nothing") == [])
  }
}
