import Foundation
import TestSupport
import Testing

/// Functions over several builds of several images.
@Suite(.tags(.compiler)) struct DeadVersionTests {
  private static let library = """
    __attribute__((noinline)) int steady(int x) { return x + VERSION; }
    __attribute__((noinline)) int fading(int x) { return x * 2; }
    __attribute__((noinline)) int coming(int x) { return x * 3; }
    __attribute__((noinline)) int never(int x) { return x * 5; }
    """
  private static let main = """
    int steady(int), fading(int), coming(int);
    __attribute__((noinline)) static int old_step(int x) { return x - 1; }
    int main(int count, char **v) {
      (void)v;
      int sum = steady(count);
      if (VERSION == 1 || count > 5) sum += fading(count) + old_step(count);
      if (VERSION > 1) sum += coming(count);
      return sum == 77;
    }
    """

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Builds the program in a folder of its own and records a run.
  private func record(_ name: String, program: Int, library: Int) throws -> String {
    let flags = try Toolchain.flags("clang")
    let folder = directory.path(name)
    let source = try directory.write(Self.main, to: "main.c")
    let part = try directory.write(Self.library, to: "part.c")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    try Command.check(
      [
        "clang", "-g", "-shared", "-fPIC", "-DVERSION=\(library)", part, "-o",
        "\(folder)/libpart.so",
      ]
        + flags)
    try Command.check(
      [
        "clang", "-g", "-DVERSION=\(program)", source, "\(folder)/libpart.so", "-o",
        "\(folder)/app",
      ]
        + flags + ["-Wl,-rpath,\(folder)"])
    let profile = directory.path("\(name).flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", "\(folder)/app"])
    return profile
  }

  /// As readelf tells it.
  private func buildID(_ file: String) throws -> String {
    let notes = try Command.check(["readelf", "-n", directory.path(file)])
    let line = try #require(notes.split(separator: "\n").first { $0.contains("Build ID: ") })
    return try String(#require(line.split(separator: " ").last))
  }

  @Test func eachImageSaysSinceWhichBuildAFunctionIsUnused() throws {
    let profiles = try [
      record("one", program: 1, library: 1), record("two", program: 2, library: 2),
      // The library stays as it is.
      record("three", program: 3, library: 2),
    ]
    let all = try Answer.dead(profiles + ["--all"])
    func since(_ name: String) -> String? {
      all.functions.first { $0.name == name }?.unusedSince
    }
    for name in ["steady", "fading", "coming", "old_step"] {
      #expect(all.verdicts(name) == ["called"])
    }
    #expect(all.verdicts("never") == ["never called"])
    #expect(since("steady") == nil && since("coming") == nil)
    let libraryID = try buildID("two/libpart.so")
    let programID = try buildID("two/app")
    #expect(try #require(since("fading")).count >= 8 && libraryID.hasPrefix(since("fading") ?? "-"))
    #expect(programID.hasPrefix(since("old_step") ?? "-"))
    // Runs of all builds of an image add up.
    let row = try #require(all.functions.first { $0.name == "fading" })
    #expect(row.calledRuns == 1 && row.watchedRuns == 3)
    let text = try Command.check([Toolchain.firstlight, "dead"] + profiles)
    #expect(text.contains("Called before, unused since a build"))
    #expect(text.contains("of libpart.so") && text.contains("of app"))
  }

  @Test func profilesThatShareRunsCountThemOnce() throws {
    let first = try record("one", program: 1, library: 1)
    let second = try record("two", program: 2, library: 2)
    let both = directory.path("both.flp")
    try Command.check([Toolchain.firstlight, "merge", first, second, "-o", both])
    let apart = try Command.check([Toolchain.firstlight, "dead", first, second])
    #expect(apart.hasPrefix("Recorded 2 runs (2 processes) on 1 host of 4 builds of 2 binaries"))
    #expect(try Command.check([Toolchain.firstlight, "dead", both]) == apart)
    #expect(try Command.check([Toolchain.firstlight, "dead", both, second]) == apart)
  }
}
