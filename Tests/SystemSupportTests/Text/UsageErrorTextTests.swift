import SystemSupport
import Testing

struct UsageErrorTextTests {
  private static let help = "  See 'firstlight dead --help' for more information."

  @Test(arguments: [
    ("Error: Unknown option '--x'.", "error: unknown option '--x'"),
    (
      "Error: Missing argument\nUsage: firstlight dead\n" + Self.help,
      "error: missing argument; see 'firstlight dead --help'"
    ),
    (
      "Error: Unknown option '--limt'. Did you mean '--limit'?\nUsage: firstlight dead\n"
        + Self.help,
      "error: unknown option '--limt'; did you mean '--limit'?"
    ),
    (
      "Error: The value 'x' is invalid. Please provide one of the following:\n"
        + "  - a\n  - b\nHelp:  --x\nUsage: firstlight dead\n" + Self.help,
      "error: the value 'x' is invalid; use one of a, b; "
        + "see 'firstlight dead --help'"
    ),
    ("Error: --runs must be 1 to 100.", "error: --runs must be 1 to 100"),
    ("GET is no command", "error: GET is no command"), ("wait ...", "error: wait ..."),
  ])
  func itReadsAsAllErrors(message: String, text: String) {
    #expect(UsageErrorText.text(message) == text)
  }
}
