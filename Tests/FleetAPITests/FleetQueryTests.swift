import FirstlightModel
import FleetModel
import Testing

@testable import FleetAPI

/// What a command line asks for, as the API's queries and a store's filters have it.
@Suite struct FleetQueryTests {
  private static func query(
    buildID: String? = nil, program: String? = nil, version: String? = nil, since: String? = nil,
    labels: [String] = []
  ) -> FleetQuery {
    FleetQuery(
      buildID: buildID, program: program, version: version, since: since, labels: labels)
  }

  @Test func whatIsNotGivenIsNotAskedFor() throws {
    #expect(Self.query().items.isEmpty)
    #expect(try Self.query().selection == FleetSelection())
  }

  @Test func everyChoiceIsAParameterOfTheQuery() throws {
    let query = Self.query(
      buildID: "4f2a", program: "server", version: "2.1", since: "2026-11-21",
      labels: ["region=eu", "note=a=b"])
    #expect(
      query.items.map { "\($0)=\($1)" } == [
        "build-id=4f2a", "program=server", "version=2.1", "since=2026-11-21", "label=region=eu",
        "label=note=a=b",
      ])
    let selection = try query.selection
    #expect(
      selection.builds == BuildFilter(buildID: "4f2a", program: "server", version: "2.1"))
    // A version chooses builds and, of these, runs.
    #expect(selection.series.version == "2.1")
    #expect(selection.series.labels == ["region": "eu", "note": "a=b"])
    // 2026-11-21 is day 20,778 since 1970.
    #expect(selection.series.days?.lowerBound == FleetDay(number: 20_778))
  }

  @Test(arguments: ["yesterday", "2026-02-30", "21.11.2026"])
  func whatIsNoDayIsAnErrorOfUsage(since: String) {
    let failure = #expect(throws: Failure.self) { try Self.query(since: since).selection }
    #expect(failure?.kind == .usage && failure?.problem == "\"\(since)\" is not a day")
  }

  @Test(arguments: ["region", "=eu"])
  func whatIsNoLabelIsAnErrorOfUsage(label: String) {
    let failure = #expect(throws: Failure.self) { try Self.query(labels: [label]).selection }
    #expect(failure?.kind == .usage && failure?.problem == "label \"\(label)\" is not KEY=VALUE")
  }
}
