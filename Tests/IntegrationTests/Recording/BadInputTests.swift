import Foundation
import TestSupport
import Testing

/// Whatever is wrong with the input: one clear line, a documented exit code, nothing lost.
@Suite(.tags(.compiler)) struct BadInputTests {
  @Test func aProgramWithoutGuards() throws {
    let directory = try TemporaryDirectory()
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", directory.path("p.flp"), "--", "true"])
    try expectOneLine(result, status: 65, saying: "is instrumented")
    #expect(directory.entries == [])
    let failing = try Command.run(
      [Toolchain.firstlight, "record", "-o", directory.path("p.flp"), "--", "sh", "-c", "exit 4"])
    #expect(failing.status == 4)
  }

  /// It has guards, and must not do what the environment of another user says.
  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func aProgramWithOtherRights() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    try #require(chown(program.executable, 65534, 65534) == 0)
    try #require(chmod(program.executable, 0o4755) == 0)
    let result = try Command.run(
      [
        Toolchain.firstlight, "record", "-o", program.directory.path("p.flp"), "--",
        program.executable,
      ])
    try expectOneLine(result, status: 65, saying: "runs with other rights than yours (setuid")
  }

  @Test(arguments: ["-", "/dev/stdout"]) func aProfileWhereTheProgramWrites(path: String) throws {
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", path, "--", "true"])
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.contains("-o \(path): standard output is the program's"))
  }

  @Test func standardInputThatIsNoProfile() throws {
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "dead", "-"], input: "no profile\n"),
      status: 65, saying: "standard input: not a Firstlight profile")
  }

  @Test func aProgramThatIsNotThere() throws {
    let directory = try TemporaryDirectory()
    try expectOneLine(
      try Command.run(
        [Toolchain.firstlight, "record", "-o", directory.path("p.flp"), "--", "/nonexistent"]),
      status: 127, saying: "/nonexistent: cannot start: No such file")
    let text = try directory.write("not a program\n", to: "text")
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "record", "-o", directory.path("p.flp"), "--", text]),
      status: 126, saying: "cannot start: it is no program: neither an ELF program nor a script")
  }

  @Test(arguments: ["record", "launch"]) func aFileThatIsNoProgram(command: String) throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("# A project\n", to: "README.md")
    try ProgramFile.script("#!/nonexistent/python\n", at: directory.path("firstlight-script"))
    _ = try directory.write("#!/bin/sh\n", to: "firstlight-tool")
    func start(_ program: String) throws -> CommandResult {
      try Command.run([Toolchain.firstlight, command, program], in: directory.url)
    }
    for program in ["README.md", text] {
      try expectOneLine(
        try start(program), status: 126,
        saying: "\(program): cannot start: it is no program: neither an ELF program nor a script")
    }
    try expectOneLine(
      try start("firstlight-tool"), status: 126,
      saying:
        "firstlight-tool: cannot start: it is not executable; run chmod +x ./firstlight-tool, then")
    try expectOneLine(
      try start("firstlight-script"), status: 127,
      saying: "it is not on PATH, but here: ./firstlight-script")
    try expectOneLine(
      try start("./firstlight-script"), status: 126,
      saying: "its interpreter /nonexistent/python does not exist")
    try expectOneLine(try start("."), status: 126, saying: "cannot start: it is a directory")
    let attached = try start("-p")
    #expect(attached.status == 64)
    #expect(attached.errors.contains("cannot attach to a running process"))
    #expect(attached.errors.contains("give the command that starts it"))
  }

  @Test func aPlaceThatCannotBeWritten() throws {
    try expectOneLine(
      try Command.run(
        [
          Toolchain.firstlight, "record", "-o", "/nonexistent/p.flp", "--", "sh", "-c",
          "echo must not run",
        ]), status: 73, saying: "/nonexistent/: cannot write here")
  }

  @Test func aStrippedProgram() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    try Command.check(["llvm-objcopy", "--strip-all", program.executable])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--", program.executable])
    #expect(result.status == 0)
    #expect(result.errors.contains("has no symbols"))
    #expect(try Answer.info(profile).builds.map(\.called) == [1])
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "order", profile]), status: 65,
      saying: "its functions have no names")
  }

  @Test func aStrippedProgramWithItsDebugFile() throws {
    let program = try Fixture.c(
      "void never(void) {}\nint main(void) { return 0; }", options: ["-O0"])
    let debug = program.directory.path("program.debug")
    try Command.check(["llvm-objcopy", "--only-keep-debug", program.executable, debug])
    try Command.check([
      "llvm-objcopy", "--strip-all", "--add-gnu-debuglink=\(debug)", program.executable,
    ])
    let profile = try program.record()
    #expect(try Answer.order([profile]) == ["main"])
    #expect(try Answer.dead([profile]).functions.map(\.line) == [1])
  }

  @Test func aProgramWithoutBuildID() throws {
    let program = try Fixture.c(
      "int main(void) { return 0; }", link: ["-Wl,--build-id=none"])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--", program.executable])
    #expect(result.status == 0)
    #expect(result.errors.contains("has no build id"))
    #expect(try Answer.order([profile]) == ["main"])
    #expect(try Answer.info(profile).builds[0].buildID.hasPrefix("file-"))
  }

  @Test func aProgramWithoutDebugInformation() throws {
    let program = try Fixture.c(
      "void never(void) {}\nint main(void) { return 0; }", options: ["-g0"])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--", program.executable])
    #expect(result.errors.contains("has no debug information"))
    // An optimiser may have inlined it, and nothing would tell.
    #expect(try Answer.dead([profile]).functions.isEmpty)
    #expect(try Answer.dead([profile, "--all"]).verdicts("never") == ["inlined"])
  }

  /// Guards or breakpoints: what is said is why, not that there was no -g.
  @Test(arguments: [[], ["--no-rebuild"]])
  func aProgramWhoseDebugInformationIsOfAnUnknownCompression(options: [String]) throws {
    let program = try Fixture.c(
      "void never(void) {}\nint main(void) { return 0; }", options: ["-O0"])
    try Command.check(["objcopy", "--compress-debug-sections=zstd", program.executable])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile] + options + ["--", program.executable])
    #expect(result.status == 0)
    let lines = result.errors.split(separator: "\n")
    let warnings = lines.filter { $0.hasPrefix("firstlight: warning: ") }
    // A newer elfutils than Debian 12's reads it.
    if try Answer.dead([profile]).functions.contains(where: { $0.line == 1 }) {
      #expect(warnings == [])
    } else {
      #expect(warnings.count == 1)
      #expect(warnings.first?.contains("cannot inflate zstd; recompress it with objcopy") == true)
    }
  }

  @Test func aProgramThatWasRebuiltMeanwhile() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let other = try Fixture.c("int main(void) { return 1; }\nvoid more(void) {}")
    let spool = try TemporaryDirectory()
    try Command.check([program.executable], environment: ["FIRSTLIGHT_DIR": spool.url.path])
    try FileManager.default.removeItem(atPath: program.executable)
    try ProgramFile.copy(other.executable, to: program.executable)
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--directory", spool.url.path, "-o", profile])
    #expect(result.status == 0)
    #expect(result.errors.contains("not the build that ran"))
    #expect(try Answer.info(profile).builds.map(\.called) == [1])
    // Nothing is known of the debug information of what ran.
    let list = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(!(list.output + list.errors).contains("has no debug information"), "\(list)")
  }

  @Test(
    .tags(.root), .enabled(if: getuid() == 0 && isInstalled("setpriv"), "needs root and setpriv"))
  func aProgramThatMayBeRunButNotRead() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let folder = program.directory.path("user")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try #require(chmod(program.directory.url.path, 0o755) == 0 && chmod(folder, 0o777) == 0)
    try #require(chmod(program.executable, 0o711) == 0)
    try expectOneLine(
      try Command.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", "env"]
          + ["HOME=\(folder)", "TMPDIR=\(folder)", Toolchain.firstlight, "record", "--no-rebuild"]
          + ["-o", "\(folder)/p.flp", program.executable]),
      status: 66, saying: "cannot be read (Permission denied), so its functions are unknown")
  }

  @Test func aTargetOfAnotherProgram() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let library = try Fixture.c("void other(void) {}", link: ["-shared"])
    let profile = try program.record()
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "order", profile, "--binary", library.executable]),
      status: 65, saying: "contains none of the 1 function called in")
  }

  @Test(arguments: [["order"], ["dead"], ["info"]])
  func otherFilesAreNotProfiles(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("hello", to: "text.flp")
    try expectOneLine(
      try Command.run([Toolchain.firstlight] + command + [text]), status: 65,
      saying: "text.flp: not a Firstlight profile")
    try expectOneLine(
      try Command.run([Toolchain.firstlight] + command + [directory.path("none.flp")]), status: 66,
      saying: "none.flp: cannot be opened: No such file")
    try expectOneLine(
      try Command.run([Toolchain.firstlight] + command + [directory.url.path]), status: 66,
      saying: "not a regular file")
  }

  @Test func otherFilesAreNotELF() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write("hello", to: "text")
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "symbolize", "--binary", text, "0x10"]), status: 65,
      saying: "not an ELF file")
  }

  @Test func anEmptyOrForeignDirectory() throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "1-2-0000000000000003.process")
    let result = try Command.run(
      [
        Toolchain.firstlight, "record", "--directory", directory.url.path, "-o",
        directory.path("p.flp"),
      ])
    #expect(result.status == 65)
    #expect(result.errors.contains("1-2-0000000000000003.process"))
    try expectOneLine(
      try Command.run(
        [
          Toolchain.firstlight, "record", "--directory", "/nonexistent", "-o",
          directory.path("p.flp"),
        ]), status: 66, saying: "/nonexistent")
  }

  @Test func aFilterThatFitsNothing() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let profile = try program.record()
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "dead", profile, "--module", "Nothing"]), status: 65,
      saying: "no function matches")
  }

  @Test func anImageThatIsNotThere() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let profile = try program.record()
    try expectOneLine(
      try Command.run([Toolchain.firstlight, "order", profile, "--image", "libz*"]), status: 65,
      saying: "no binary matches --image libz*: program (executable")
  }

  @Test(arguments: [
    ["record"], ["record", "--until", "soon", "--", "true"], ["order"], ["flags", "msvc"],
    ["nothing"],
  ])
  func aWrongCommandLine(arguments: [String]) throws {
    let result = try Command.run([Toolchain.firstlight] + arguments)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("firstlight: error: "))
    #expect(result.output == "")
  }
}
