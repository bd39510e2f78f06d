import Foundation
import TestSupport
import Testing

/// Questions about one build by its whole id, whatever others have reported.
@Suite(.serialized) struct FleetBuildIDTests {
  /// A stranger's build whose id begins with this one's, and the same binary recorded in another way.
  @Test func aWholeBuildIDNamesOneBuild() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(fleet.arguments + ["--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try fleet.run("b")
    try daemon.hasTaken(1)
    try daemon.hasSaid("functions named")
    let id = try Command.check(["readelf", "-n", fleet.program.executable])
      .split(separator: "\n").compactMap { $0.split(separator: "Build ID: ").dropFirst().first }[0]
    func ask(_ path: String) throws -> String {
      try Command.check(["curl", "-s", "-w", "%{http_code}", "\(url)\(path)"])
    }
    let paths = ["order", "dead", "dead?format=json", "profile", "startups"].map { part in
      "/v1/\(part)\(part.contains("?") ? "&" : "?")build-id=\(id)"
    }
    let order = try ask(paths[0])
    #expect(order.contains("main\na\nb\n") && order.hasSuffix("200"))

    let token = try String(
      contentsOfFile: TemporaryDirectory.state + "/firstlight/local-token", encoding: .utf8)
    let forged = try HostileScript.start(
      "post", [url, token.trimmingCharacters(in: .newlines), "5", "1"],
      environment: ["BUILD": "\(id)22"])
    #expect(try forged.wait().output.contains(#""added":1"#))
    for path in paths + ["/builds/\(id)"] { #expect(try ask(path).hasSuffix("200"), "\(path)") }
    #expect(try ask(paths[0]) == order)
    #expect(try ask("/builds/\(id)").contains("<h1>program"))
    #expect(try !ask("/v1/builds?build-id=\(id)").contains("server"))
    #expect(try ask("/builds/\(id.prefix(8))").hasSuffix("404"))

    let profile = fleet.program.directory.path("breakpoints.flp")
    let program = [fleet.program.executable, "d"]
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--"] + program)
    try Command.check([Toolchain.firstlight, "upload", profile, "--to", url])
    try Command.check([
      Toolchain.firstlight, "upload-symbols", fleet.program.executable, "--to", url,
    ])
    for path in paths + ["/builds/\(id)"] { #expect(try ask(path).hasSuffix("200"), "\(path)") }
    #expect(try ask(paths[0]) == order)
    for recorder in ["guards", "breakpoints"] {
      let list = try ask("/v1/builds?build-id=\(id)&recorder=\(recorder)")
      #expect(list.ranges(of: "\"recorder\":\"\(recorder)\"").count == 1)
      #expect(list.ranges(of: "\"buildID\"").count == 1)
      #expect(try ask("/builds/\(id)?recorder=\(recorder)").hasSuffix("200"))
    }
    let fleetOrder = [
      Toolchain.firstlight, "fleet", "order", "--from", url, "--build-id", String(id),
    ]
    for choice in [[], ["--recorder", "guards"]] {
      #expect(try Command.check(fleetOrder + choice) + "200" == order)
    }
    #expect(try ask("/v1/order?build-id=\(id)&recorder=gates").hasSuffix("400"))
    try daemon.stop()
  }
}
