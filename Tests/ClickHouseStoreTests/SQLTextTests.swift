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
    #expect(SQLText.list([3, 1] as [UInt64]) == "(3,1)")
    #expect(SQLText.list([] as [UInt64]) == "(0)")
    #expect(SQLText.list(["a", "b'"]) == #"('a','b\'')"#)
    #expect(SQLText.list([] as [String]) == "('')")
    #expect(SQLText.array([]) == "[]")
    #expect(SQLText.array([1, 2]) == "[1,2]")
  }

  @Test func aBuildIsItsIdAndItsRecorder() {
    let build = BuildKey(buildID: BuildID("aabb")!)
    #expect(SQLText.isOf(build) == "build_id = 'aabb' AND recorder = 'guards'")
  }

  @Test func aSeriesIsWantedByDaysVersionAndLabels() {
    #expect(SQLText.isIn(SeriesFilter()) == "")
    let wanted = SeriesFilter(
      days: FleetDay(number: 3)...FleetDay(number: 5), version: "1'0",
      labels: ["zone": "b", "arch": "x"])
    #expect(
      SQLText.isIn(wanted) == #" AND day >= 3 AND day <= 5 AND version = '1\'0'"#
        + #" AND has(splitByChar('\n', labels), 'arch=x')"#
        + #" AND has(splitByChar('\n', labels), 'zone=b')"#)
  }
}
