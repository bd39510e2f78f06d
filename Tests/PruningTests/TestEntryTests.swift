import FirstlightModel
import TestSupport
import Testing

@testable import NeverCalled
@testable import Pruning

/// Lines of runners that go with a test, and lines that do not.
@Suite struct TestEntryTests {
  @Test(arguments: [
    ("RUN_TEST(test_add);", ";", "R"), ("test_add();", "{", "}"),
    ("tcase_add_test(tc, test_add);", ";", "r"), ("failed += test_add();", ";", "r"),
    ("{ \"add\", test_add },", "{", "{"), ("cmocka_unit_test(test_add),", ",", "c"),
    ("(\"testAdd\", testAdd)", ",", "]"), ("test_add", ",", "}"),
  ])
  func entriesGo(line: String, before: Unicode.Scalar, after: Unicode.Scalar) {
    #expect(TestEntries.isEntry(line, before: before, after: after))
  }

  @Test(arguments: [
    ("test_add();", ")", "}"), ("return test_add();", ";", "}"),
    ("if (x) test_add();", ";", "x"),
    ("int failed = test_add();", ";", "r"), ("RUN(test_add,", "{", "4"),
    ("test_add() ||", ";", "t"),
    ("test_add();", "e", "}"), (".run = test_add,", "{", "}"), ("test_add", "{", "}"),
    ("void test_add(void) {", ";", "r"), ("int test_add(void);", "}", "i"),
  ])
  func otherLinesStay(line: String, before: Unicode.Scalar, after: Unicode.Scalar) {
    let isPrototype = line == "int test_add(void);"
    // A prototype looks like a call, but its place is known.
    #expect(TestEntries.isEntry(line, before: before, after: after) == isPrototype)
  }

  @Test func onePlaceThatIsNoEntryKeepsAll() throws {
    let directory = try TemporaryDirectory()
    let text =
      "static void test_a(void) {}\n\nint main(void) {\n  run();\n  // test_a\n  RUN(test_a);  // sums\n}\n"
    try directory.write(text, to: "t.c")
    try directory.write(text + "int x = test_a();\n", to: "u.c")
    func entries(_ file: String) -> [Int]? {
      let target = DeclarationTarget(name: "test_a", line: 1)
      let test = PruneCandidate(
        name: "test_a", definition: .init(file: directory.path(file), target: target))
      var entries = TestEntries()
      return entries.places(of: test, in: [TextBytes(directory.path(file))])?.map(\.target.line)
    }
    #expect(entries("t.c") == [6])
    #expect(entries("u.c") == nil)
    #expect(entries("v.c") == nil)
  }

  // MARK: What stays and why

  private func candidate(
    _ name: String, uses: [Int], isTest: Bool = false, _ keeping: PruneKeeping? = nil
  ) -> PruneCandidate {
    var candidate = PruneCandidate(
      name: name, definition: .init(file: "", target: DeclarationTarget(name: name, line: 1)),
      uses: uses)
    (candidate.isTest, candidate.keeping) = (isTest, keeping)
    return candidate
  }

  @Test func testsOfLiveCodeKeepWhatTheyTest() {
    let candidates = [
      candidate("f()", uses: [1, 2]), candidate("g()", uses: []),
      candidate("testF()", uses: [0], isTest: true, .liveCode("h()")),
    ]
    let plan = PrunePlan(candidates, sources: PruneSources(root: "/"), index: nil)
    let patch = plan.patch(of: Set(candidates.indices))
    #expect(patch.removed == [])
    #expect(
      PruneReport(plan, patch, nil).lines(otherwise: "none") == [
        "  keeps f(): a test of live code refers to it: testF(), which also tests h()",
        "  keeps g(): f() stays and refers to it", "nothing can be removed; keeps 2",
      ])
  }
}
