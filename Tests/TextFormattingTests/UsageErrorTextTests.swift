import Testing
import TextFormatting

struct UsageErrorTextTests {
  @Test(arguments: [
    ("Error: Unknown option '--x'.", "error: unknown option '--x'"),
    (
      "Error: Missing argument\nUsage: firstlight dead\n  See more.",
      "error: missing argument\nUsage: firstlight dead\n  See more."
    ),
    ("Error: --runs must be 1 to 100.", "error: --runs must be 1 to 100"),
    ("GET is no command", "error: GET is no command"), ("wait ...", "error: wait ..."),
  ])
  func itReadsAsAllErrors(message: String, text: String) {
    #expect(UsageErrorText.text(message) == text)
  }
}
