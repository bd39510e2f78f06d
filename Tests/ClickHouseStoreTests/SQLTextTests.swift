import FirstlightModel
import FleetModel
import Testing

@testable import ClickHouseStore

@Suite struct SQLTextTests {
  @Test(arguments: [
    ("plain", "'plain'"), ("it's", #"'it\'s'"#), (#"a\"#, #"'a\\'"#), (#"\'"#, #"'\\\''"#),
    ("", "''"),
    // One character with the accent behind it.
    ("'\u{301} OR 1", "'\\'\u{301} OR 1'"),
  ])
  func quotesCannotBeLeft(text: String, quoted: String) {
    #expect(SQLText.quoted(text) == quoted)
  }

  @Test func aListIsNeverEmpty() {
    #expect(SQLText.isIn("(a, b)", ["1,2", "3,4"]) == "(a, b) IN ((1,2),(3,4))")
    #expect(SQLText.isIn("(a, b)", []) == "0")
  }

  @Test func aBuildIsItsIdAndItsRecorder() {
    let build = BuildKey(buildID: BuildID("aabb")!)
    #expect(SQLText.isOf(build) == "(build_id, recorder) IN (('aabb','guards'))")
    let claims = [Claim(build, guards: 7)]
    #expect(SQLText.isOf(claims) == "(build_id, recorder, guards) IN (('aabb','guards',7))")
  }

  /// Columns of the type `Date` end in 2149.
  @Test(arguments: [(20_000, "2024-10-04"), (-1, "1970-01-01"), (9_000_000, "2149-06-06")])
  func aDayIsOneThatAColumnCanHave(number: Int32, text: String) {
    #expect(SQLText.day(FleetDay(number: number)) == "'\(text)'")
  }

  @Test func aSeriesIsWantedByDaysVersionAndLabels() {
    #expect(SQLText.isIn(FleetQuery()) == "")
    let wanted = FleetQuery(
      version: "1'0", days: FleetDay(number: 3)...FleetDay(number: 5),
      labels: ["zone": "b", "arch": "x"])
    #expect(
      SQLText.isIn(wanted)
        == #" AND day >= '1970-01-04' AND day <= '1970-01-06' AND version = '1\'0'"#
        + #" AND has(splitByChar('\n', labels), 'arch=x')"#
        + #" AND has(splitByChar('\n', labels), 'zone=b')"#)
  }
}
