import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite struct TextTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000"),
  ])
  func numbersComeInGroupsOfThree(number: Int, text: String) {
    #expect(CountText.number(number) == text)
  }

  @Test(arguments: [(1, "100.0%"), (0.9999, "99.9%"), (0.5, "50.0%"), (0, "0.0%")])
  func onlyAllIsAHundredPerCent(share: Double, text: String) {
    #expect(NumberText.share(share) == text)
  }

  @Test func nounsFollowTheirNumber() {
    #expect(CountText.text(1, "process", "processes") == "1 process")
    #expect(CountText.text(2, "process", "processes") == "2 processes")
    #expect(CountText.text(0, "guard") == "0 guards")
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1,023 B"), (1024, "1.0 KiB"), (1308, "1.3 KiB"),
      (1_048_524, "1,023.9 KiB"), (1_048_575, "1.0 MiB"), (1_572_864, "1.5 MiB"),
      (1 << 30, "1.0 GiB"), (.max, "16,777,216.0 TiB"),
    ] as [(UInt64, String)])
  func bytesComeInTheirUnit(bytes: UInt64, text: String) {
    #expect(CountText.bytes(bytes) == text)
  }

  @Test func aScriptIsOneLine() {
    let script = ["sh", "-c", "one\n\n  two; three\n"]
    #expect(ShellText.line(script) == "sh -c 'one   two; three '")
    #expect(ShellText.headline(script) == ShellText.line(script))
  }

  @Test func aHeadlineIsTheBeginningOfALongCommand() {
    let folder = String(repeating: "/folder", count: 12)
    #expect(ShellText.headline(["\(folder)/app", "--port", "1"]) == "app --port 1")
    let words = (1...40).map { "word\($0)" }
    let text = ShellText.headline(["\(folder)/app"] + words)
    #expect(text.count == 70 && text.hasPrefix("app word1 word2 ") && text.hasSuffix("..."))
    #expect(ShellText.headline([]) == "")
  }

  @Test(arguments: [(0.0142, "14 ms"), (3.04, "3.0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")])
  func spansComeInTheirUnit(seconds: Double, text: String) {
    #expect(TimeText.text(seconds) == text)
  }

  /// Oracle: Foundation's own calendar.
  @Test(arguments: [0, 951_826_529, 1_000_000_000, 1_709_210_096, 4_102_444_799] as [Double])
  func momentsAgreeWithFoundation(seconds: Double) {
    let formatter = ISO8601DateFormatter()
    let expected = formatter.string(from: Date(timeIntervalSince1970: seconds))
      .replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: " UTC")
    #expect(TimeText.moment(seconds) == expected)
  }

  @Test func columnsLineUp() {
    var table = TextTable([.right, .left, .left])
    table.add("1", "a", "x")
    table.add("100", "bcd", "y")
    #expect(table.text(indent: " ") == "   1  a    x\n 100  bcd  y\n")
  }

  @Test(
    arguments: [
      (0, 2, "0.00"), (-0.001, 2, "0.00"), (1234.5, 1, "1,234.5"), (-2.345, 2, "-2.35"),
      (999.996, 2, "1,000.00"), (7, 0, "7"),
    ] as [(Double, Int, String)])
  func fractionsAreRounded(value: Double, digits: Int, text: String) {
    #expect(NumberText.decimal(value, digits: digits) == text)
  }

  @Test func sharesAndProbabilitiesHaveTheirForm() {
    #expect(NumberText.percent(-0.1234) == "-12.3%")
    #expect(NumberText.percent(0.5) == "+50.0%")
    #expect(NumberText.percent(nil) == "-")
    #expect(NumberText.probability(0.00001) == "<0.0001")
    #expect(NumberText.probability(0.04213) == "0.0421")
  }

  @Test(arguments: [
    (1, 1, "1 build"), (3, 1, "3 builds"), (3, 3, "3 binaries"), (4, 2, "4 builds of 2 binaries"),
  ])
  func buildsAreNotTakenForBinaries(builds: Int, binaries: Int, text: String) {
    #expect(CountText.builds(builds, binaries: binaries) == text)
  }
}
