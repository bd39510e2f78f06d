import Foundation
import TestSupport
import Testing

/// Which builds and functions a fleet's names belong to, and what it says as long as there are none.
@Suite(.serialized, .tags(.compiler)) struct FleetNamesTests {
  private func fleet(_ command: String, _ from: String, _ options: String...) throws
    -> CommandResult
  {
    try Command.run([Toolchain.firstlight, "fleet", command, "--from", from] + options)
  }

  @Test func aRunOfACopyTakesNoNameAway() throws {
    let fixture = try FleetFixture()
    let copy = fixture.program.directory.path("debug-copy")
    try Command.check(["cp", fixture.program.executable, copy])
    for _ in 0..<3 { try fixture.run("b") }
    try Command.check([copy, "d"], environment: ["FIRSTLIGHT_DIR": fixture.spool])
    let daemon = try Daemon(fixture.arguments)
    try daemon.hasTaken(4)
    try daemon.hasSaid("functions named")
    try daemon.stop()
    let store = "sqlite:\(fixture.store)"
    #expect(try fleet("builds", store).output.contains("program (also debug-copy)"))
    for name in ["program", "debug-copy"] {
      let dead = try fleet("dead", store, "--program", name)
      #expect(dead.status == 0 && dead.output.contains("never"), "\(dead)")
    }
    for command in ["dead", "order", "startups", "builds"] {
      #expect(try fleet(command, store, "--program", "nosuch").status == 66, "\(command)")
    }
  }

  /// Each host has a token for uploading.
  @Test func onlyTheRoleSymbolsNamesFunctions() throws {
    let fixture = try FleetFixture()
    let tokens = fixture.program.directory.path("tokens")
    func token(_ role: String) throws -> String {
      try Command.check([Daemon.path, "token", "add", "--role", role, "--file", tokens])
        .trimmingCharacters(in: .newlines)
    }
    let (host, symbols, admin) = (try token("upload"), try token("symbols"), try token("admin"))
    let daemon = try Daemon([
      "--store", "sqlite:\(fixture.store)", "--listen", "127.0.0.1:0", "--token-file", tokens,
    ])
    let url = "http://127.0.0.1:\(try daemon.port())"
    func send(_ file: String, _ token: String) throws -> CommandResult {
      try Command.run(
        [Toolchain.firstlight, "upload-symbols", file, "--to", url],
        environment: ["FIRSTLIGHT_TOKEN": token])
    }
    let genuine = fixture.program.executable
    let refused = try send(genuine, host)
    #expect(
      refused.status == 69 && refused.errors.contains("role upload, this request requires symbols"))
    #expect(try send(genuine, symbols).status == 0)
    // Another binary of this build id, whose a and b have changed places.
    let forged = fixture.program.directory.path("forged")
    let notes = try Command.check(["readelf", "-n", genuine])
    let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).output.1
    let source = try String(
      contentsOfFile: fixture.program.directory.path("main.c"), encoding: .utf8)
    let swapped = try fixture.program.directory.write(
      source.replacing("F(a)", with: "F(x)").replacing("F(b)", with: "F(a)")
        .replacing("F(x)", with: "F(b)"), to: "swapped.c")
    let flags = try Command.check([Toolchain.firstlight, "flags", "clang"])
      .replacing("--build-id=sha1", with: "--build-id=0x\(id)")
    try Command.check([
      "sh", "-c", "clang -O0 -w \(flags) \(swapped) -o \(forged)".replacing("\n", with: " "),
    ])
    let answer = try send(forged, symbols)
    #expect(answer.status == 65 && answer.errors.contains("contradicts the functions"), "\(answer)")
    try daemon.hasSaid("symbols refused")
    let read = try Command.check(
      [Toolchain.firstlight, "fleet", "builds", "--from", url],
      environment: ["FIRSTLIGHT_TOKEN": admin])
    #expect(read.contains("forged contradicts the functions of this build"), "\(read)")
    #expect(try send(forged, admin).status == 0)
    try daemon.hasSaid("functions replaced")
    try daemon.stop()
  }

  @Test func withoutABinaryEachCommandSaysWhatIsMissing() throws {
    let fixture = try FleetFixture()
    let profile = try fixture.runAndRecord("b", number: 1)
    let daemon = try Daemon(["--store", "sqlite:\(fixture.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    try Command.check([Toolchain.firstlight, "upload", profile, "--to", url])
    for command in ["dead", "order"] {
      let answer = try fleet(command, url, "--program", "program")
      #expect(answer.status == 66)
      #expect(
        answer.errors.contains(
          "its functions have no names yet; send the binary: firstlight upload-symbols program "
            + "--to \(url)"), "\(answer)")
      let page = try Command.run(["curl", "-s", "\(url)/v1/\(command)?program=program"])
      #expect(page.output.contains("firstlight upload-symbols program --to URL"))
    }
    try Command.check([
      Toolchain.firstlight, "upload-symbols", fixture.program.executable, "--to", url,
    ])
    for command in ["dead", "order"] {
      #expect(try fleet(command, url, "--program", "program").status == 0)
    }
    try daemon.stop()
  }
}
