import FirstlightModel
import FleetModel
import Foundation
import Testing

@testable import Collector

@Suite struct SettingSourcesTests {
  private func configuration(
    _ options: [TextBytes: String] = [:], _ environment: [TextBytes: String] = [:],
    file: String? = nil
  ) throws -> DaemonConfiguration {
    guard let file else {
      return try SettingSources(options: options, environment: environment, file: nil)
        .configuration()
    }
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try file.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try SettingSources(options: options, environment: environment, file: path)
      .configuration()
  }

  @Test func theFirstSourceThatHasASettingWins() throws {
    let file = "user-files = 1\ntotal-files = 1\nuser-rate = 1\n"
    let environment: [TextBytes: String] = [
      "FIRSTLIGHTD_USER_FILES": "2", "FIRSTLIGHTD_TOTAL_FILES": "2",
    ]
    let result = try configuration(["user-files": "3"], environment, file: file)
    #expect(
      (result.intake.userFiles, result.intake.totalFiles, result.intake.userRate) == (3, 2, 1))
  }

  @Test func storeOverridesAnUpstreamOfLowerPrecedence() throws {
    let url = "http://127.0.0.1:1"
    let stores = try configuration(["store": "sqlite:/x"], ["FIRSTLIGHTD_UPSTREAM": url])
    #expect(stores.upstream == nil && stores.store != nil)
    let forwards = try configuration([:], ["FIRSTLIGHTD_UPSTREAM": url], file: "store = sqlite:/x")
    #expect(forwards.upstream == url && forwards.store == nil)
    let both = try configuration(["store": "sqlite:/x", "upstream": url])
    #expect(throws: Failure.self) { try both.check() }
  }

  @Test func labelsComeTogetherOrOneByOne() throws {
    let file = "label.region = eu\nlabel.version = 2\n"
    #expect(try configuration(file: file).intake.labels.labels == ["region": "eu"])
    let together = try configuration(["labels": "region=us, tier=web"], file: file).intake.labels
    #expect(together.labels == ["region": "us", "tier": "web"])
    #expect(throws: Failure.self) { try configuration(["labels": "region"]) }
  }

  @Test func whatAStoreKeepsMayBeUnlimited() throws {
    #expect(try configuration().retention == RetentionRules())
    let result = try configuration(
      ["retain-builds": "20"], ["FIRSTLIGHTD_RETAIN_BYTES": "2G"], file: "retain-days = all\n")
    #expect(result.retention == RetentionRules(days: nil, builds: 20, bytes: 2 << 30))
  }

  /// What a deployment leaves blank is not set; what Kubernetes adds is nobody's mistake.
  @Test func unknownVariablesAreReported() throws {
    let result = try configuration(
      [:],
      [
        "FIRSTLIGHTD_HOST": "", "FIRSTLIGHTD_SPOL": "/x", "FIRSTLIGHTD_SERVICE_HOST": "10.0.0.1",
        "FIRSTLIGHTD_PORT_8123_TCP": "tcp://10.0.0.1:8123", "FIRSTLIGHT_DIR": "/x",
      ])
    #expect(!result.intake.host.isEmpty)
    #expect(result.notes.count == 1 && result.notes[0].hasSuffix("FIRSTLIGHTD_SPOL"))
  }

  @Test(arguments: [
    ("log-format", "xml", "--log-format: \"xml\" is not one of text, json"),
    ("user-bytes", "2X", "--user-bytes: \"2X\" is not a size; write it as 500M or 2G"),
    ("retain-days", "0", "--retain-days: \"0\" is not a number above 0"),
    ("retain-bytes", "none", "--retain-bytes: \"none\" is not a size; write it as 500M or 2G"),
    ("head-timeout", "100000", "--head-timeout: \"100000\" is more than a day (86400)"),
  ])
  func impossibleValuesAreReportedWithTheirSetting(key: String, text: String, words: String) {
    let failure = #expect(throws: Failure.self) { try configuration([TextBytes(key): text]) }
    #expect(failure?.problem == words)
  }
}
