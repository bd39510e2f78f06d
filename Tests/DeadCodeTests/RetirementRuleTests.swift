import FirstlightModel
import Testing

@testable import DeadCode

/// The key `retire` of a `.firstlight.yml`.
@Suite struct RetirementRuleTests {
  @Test func rulesAreRead() throws {
    let text = """
      retire:
        deprecate: {weeks: 0.5, runs: 10}
        remove:
          weeks: 8
      """
    let rules = try KeepRules(text, path: "x").retirement
    #expect(rules.deprecate == .init(weeks: 0.5, runs: 10))
    #expect(rules.remove == .init(weeks: 8, runs: RetirementRules().remove.runs))
    #expect(try KeepRules("own: [a]", path: "x").retirement == RetirementRules())
  }

  @Test(arguments: [
    ("retire: 3", "'retire' must be a mapping"),
    ("retire: {when: 3}", "unknown key 'when'"),
    ("retire: {remove: 3}", "remove: must have weeks and runs"),
    ("retire: {remove: {weeks: many}}", "'weeks' must be a number"),
    ("retire: {remove: {weeks: -1}}", "'weeks' must be a number"),
    ("retire: {deprecate: {runs: 1.5}}", "'runs' must be a whole number"),
    ("retire: {deprecate: {days: 1}}", "unknown key 'days'"),
  ])
  func wrongRulesAreNamed(text: String, problem: String) {
    let failure = #expect(throws: Failure.self) { try KeepRules(text, path: "rules.yml") }
    #expect(failure?.kind == .data)
    #expect(failure?.problem.hasPrefix("rules.yml: ") == true)
    #expect(failure?.problem.hasSuffix(problem) == true, "\(failure?.problem ?? "")")
  }

  @Test func weeksAndRunsMustBothBeMet() {
    let threshold = RetirementRules.Threshold(weeks: 2, runs: 10)
    #expect(threshold.isMet(days: 14, runs: 10))
    #expect(!threshold.isMet(days: 13.9, runs: 10))
    #expect(!threshold.isMet(days: 100, runs: 9))
  }
}
