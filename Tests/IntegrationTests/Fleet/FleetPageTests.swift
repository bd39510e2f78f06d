import Foundation
import TestSupport
import Testing

/// What a browser gets from firstlightd.
@Suite(.serialized, .tags(.compiler, .browser)) struct FleetPageTests {
  /// Gives the page's DOM after its scripts, as a browser without a screen has it.
  private func rendered(_ url: String) throws -> String {
    try Command.check([
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", url,
    ])
  }

  private func daemon(_ fleet: FleetFixture) throws -> (Daemon, url: String) {
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    return (daemon, "http://127.0.0.1:\(try daemon.port())")
  }

  @Test func everyAnswerSaysWhatABrowserMayDoWithIt() throws {
    let fleet = try FleetFixture()
    let (daemon, url) = try daemon(fleet)
    try fleet.run("b")
    try daemon.hasSaid("functions named")
    for path in [
      "/", "/v1/builds", "/v1/dead?format=html", "/v1/profile", "/metrics", "/healthz",
      "/v1/openapi.json", "/nowhere", "/v1/order?image=none",
    ] {
      let head = try Command.check(["curl", "-s", "-D", "-", "-o", "/dev/null", url + path])
        .lowercased()
      for line in [
        "x-content-type-options: nosniff", "x-frame-options: deny", "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin", "cache-control: no-store",
      ] {
        #expect(head.contains(line + "\r\n"), "\(path)")
      }
      let policy = head.firstMatch(of: /content-security-policy: (.*)\r\n/)?.output.1 ?? ""
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("script-src 'unsafe"))
    }
    try daemon.stop()
  }

  @Test func programsAndNeverCalledLeadToPages() throws {
    let fleet = try FleetFixture()
    let (daemon, url) = try daemon(fleet)
    try fleet.run("b")
    try daemon.hasSaid("functions named")
    let list = try rendered(url)
    let link = try #require(list.firstMatch(of: /<a href="([^"]+)">program<\/a>/)).output.1
    let page = try rendered(url + link)
    #expect(page.contains("<h1>program</h1>"))
    let never = try #require(page.firstMatch(of: /<a href="([^"]+)">Never called<\/a>/)).output.1
    // Its rows are made by its script, which the policy has to allow.
    let dead = try rendered(url + never.replacing("&amp;", with: "&"))
    #expect(dead.contains("<td class=\"name\">never</td>"))
    #expect(dead.contains("<td class=\"name\">c</td>"))
    try daemon.stop()
  }

  /// A program of Swift has more guards than functions that anybody wrote.
  @Test func functionsAreWhatTheListOfTheDeadCounts() throws {
    let program = try Fixture.swift(
      """
      struct Point: Hashable, Codable { var x = 1, y = 2 }
      enum Shape: String, CaseIterable { case line, area }
      @inline(never) func used() -> Int { Point().hashValue & Shape.allCases.count }
      @inline(never) func unused() -> Int { Point(x: 3).y }
      print(used())
      if CommandLine.argc > 3 { print(unused()) }
      """, options: ["-Onone"])
    let store = program.directory.path("fleet.sqlite")
    let spool = program.directory.path("spool")
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
    try Command.check([program.executable], environment: ["FIRSTLIGHT_DIR": spool])
    let daemon = try Daemon([
      "--spool", spool, "--store", "sqlite:\(store)", "--listen", "127.0.0.1:0",
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try daemon.hasSaid("functions named")
    let text = try Command.check(["curl", "-s", "\(url)/v1/dead?format=json"])
    let totals = try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8)).totals
    #expect(totals.compilerGenerated > 0)
    let list = try Command.check(["curl", "-s", url])
    let link = try #require(list.firstMatch(of: /\/builds\/[0-9a-f]+/)).output
    let page = try Command.check(["curl", "-s", url + link])
    let all = totals.called + totals.neverCalled
    #expect(page.contains("<b>\(totals.called)</b><span>of \(all) functions called</span>"))
    #expect(page.contains("\(totals.compilerGenerated) compiler-generated"))
    // The command beside the sources knows more, and both say so.
    let words = "only firstlight fleet dead reads source files"
    #expect(page.contains(words))
    #expect(try Command.check(["curl", "-s", "\(url)/v1/dead"]).contains(words))
    try daemon.stop()
  }
}
