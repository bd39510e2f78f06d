import Collector
import FirstlightModel
import FleetModel
import Foundation
import SystemSupport
import Testing

@Suite struct FleetTextTests {
  @Test func noBuildIsSaid() {
    #expect(FleetBuildsText.text(BuildsDocument(builds: [], next: nil)) == "No builds.\n")
    #expect(
      FleetStartupsText.text(StartupsDocument(startups: []))
        == "No start reported ready (firstlight_ready).\n")
  }

  @Test func stagesStandBelowTheirProgram() throws {
    let json = """
      {"startups": [{"buildID": "0123456789abcdef", "program": "shop", "version": "", "labels": {},
       "firstDay": "2026-11-21", "lastDay": "2026-11-22", "starts": 2, "p50": 0.01, "p90": 0.02,
       "p99": 0.02, "stages": [{"kind": "main", "starts": 2, "p50": 0.005, "p90": 0.006,
       "p99": 0.006}]}]}
      """
    let document = try JSONDecoder().decode(StartupsDocument.self, from: Data(json.utf8))
    let lines = FleetStartupsText.text(document).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasPrefix("shop "))
    #expect(lines[1].contains("2026-11-21"))
    #expect(lines[2].hasPrefix("  main"))
  }

  @Test func aStoreSizeHasTheNamesOfAStatus() throws {
    var size = StoreSize()
    (size.builds, size.coverage) = (1, 7)
    let text = StoreSizeText.text(size)
    #expect(text.contains("1  build\n") && text.contains("7  sums"))
    let json = try JSONForm.pretty(size)
    #expect(json.contains(#""builds" : 1"#) && json.contains(#""coverageRows" : 7"#))
  }
}
