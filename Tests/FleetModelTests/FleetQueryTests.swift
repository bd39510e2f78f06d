import FirstlightModel
import FleetModel
import Testing

/// Queries as the parameters of an address.
@Suite struct FleetQueryTests {
  @Test func noParametersSelectEverything() throws {
    #expect(FleetQuery().items.isEmpty)
    #expect(try FleetQuery(items: [("format", "text")]) == FleetQuery())
  }

  @Test func everyChoiceIsAParameter() throws {
    let items = [
      ("build-id", "4f2a"), ("recorder", "guards"), ("program", "server"), ("version", "2.1"),
      ("since", "2026-11-21"), ("until", "2026-11-23"), ("label", "note=a=b"),
      ("label", "region=eu"),
    ]
    let query = try FleetQuery(items: items)
    #expect(
      query
        == FleetQuery(
          buildID: "4f2a", recorder: .guards, program: "server", version: "2.1",
          // 2026-11-21 is day 20,778 since 1970.
          days: FleetDay(number: 20_778)...FleetDay(number: 20_780),
          labels: ["region": "eu", "note": "a=b"]))
    #expect(query.items.map { "\($0)=\($1)" } == items.map { "\($0)=\($1)" })
    #expect(query.buildItems.map(\.0) == ["build-id", "recorder", "program", "version"])
    #expect(try FleetQuery(items: [("since", "2026-11-21")]).items.map(\.0) == ["since"])
  }

  @Test(arguments: [
    ("since", "yesterday", "\"yesterday\" is not a day"),
    ("since", "2026-02-30", "\"2026-02-30\" is not a day"),
    ("until", "21.11.2026", "\"21.11.2026\" is not a day"),
    ("label", "region", "label \"region\" is not KEY=VALUE"),
    ("label", "=eu", "label \"=eu\" is not KEY=VALUE"),
    ("recorder", "paper", "\"paper\" is not a recorder"),
  ])
  func aSlipIsAnErrorOfUsage(key: String, value: String, problem: String) {
    let failure = #expect(throws: Failure.self) { try FleetQuery(items: [(key, value)]) }
    #expect(failure?.kind == .usage && failure?.problem == problem)
  }

  @Test func theFirstDayComesFirst() {
    let items = [("since", "2026-11-23"), ("until", "2026-11-21")]
    #expect(throws: Failure.self) { try FleetQuery(items: items) }
  }
}
