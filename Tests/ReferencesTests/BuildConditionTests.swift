import Testing

@testable import References

/// What is certain of `#if` conditions in a build for Linux.
@Suite struct BuildConditionTests {
  private let conditions = BuildConditions(architecture: "x86_64", compiler: [6, 3, 1])

  @Test(
    arguments: [
      (" os(Linux)", true), (" os(macOS) || os(iOS)", false), ("!os(Linux)", false),
      ("arch(x86_64)", true), ("arch(arm64)", false), ("canImport(Glibc)", true),
      ("canImport(Darwin)", false), ("canImport(Shop)", nil), ("DEBUG", nil),
      ("compiler(>=6.2)", true), ("compiler(>=6.3.1)", true), ("compiler(>=6.4)", false),
      ("compiler(<6.0)", false), ("compiler(>=7)", false), ("swift(>=5.5)", true),
      ("swift(<5.9)", false), ("swift(>=6.0)", nil), ("swift(>=6.4)", false),
      ("os(Linux) && DEBUG", nil), ("os(macOS) && DEBUG", false), ("os(Linux) || DEBUG", true),
      ("DEBUG || os(Linux)", true), ("!(os(macOS) && DEBUG)", true), ("true // why", true),
      ("targetEnvironment(simulator)", false), ("hasFeature(X)", nil), ("", nil), ("0", nil),
      ("os(Linux", nil), ("os(Linux) DEBUG", nil), ("defined(__linux__)", nil),
      ("canImport(Foundation, _version: 6)", nil),
    ] as [(String, Bool?)])
  func conditionsAreEvaluated(condition: String, value: Bool?) {
    #expect(conditions.value(of: condition[...]) == value)
  }

  @Test func whatIsNotKnownOfABuildIsNotCertain() {
    let unknown = BuildConditions()
    #expect(unknown.value(of: "os(Linux)") == true)
    for condition in ["arch(x86_64)", "compiler(>=5.0)", "swift(>=5.0)"] {
      #expect(unknown.value(of: condition[...]) == nil)
    }
  }

  @Test func deepConditionsAreNotRead() {
    let deep = String(repeating: "!", count: 100_000) + "os(Linux)"
    #expect(conditions.value(of: deep[...]) == nil)
  }
}
