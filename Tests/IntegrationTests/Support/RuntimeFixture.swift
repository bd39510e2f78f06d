import Foundation
import TestSupport
import Testing

extension Fixture {
  /// One of the programs of Tests/Fixtures/runtime, which say themselves what they do.
  ///
  /// - Parameter guarded: whether it has guards, besides the runtime for its calls of the API.
  static func runtime(
    _ name: String, options: [String] = ["-O0", "-pthread"], guarded: Bool = true,
    gated: Bool = false, link: [String] = []
  ) throws -> Fixture {
    let include = Toolchain.project.appending(path: "CSupport/FirstlightRuntime/include").path
    return try c(
      runtimeSource(name), options: options + ["-I\(include)"],
      flags: guarded ? Toolchain.flags("clang", gated: gated) : [ProgramTarget.runtime], link: link)
  }

  /// A library with guards, in place of an executable.
  static func library(_ source: String) throws -> Fixture {
    try c(source, options: ["-O0", "-fPIC", "-shared"])
  }

  /// Runs the program, recorded into `spool` if there is one.
  func run(
    _ arguments: [String] = [], before: [String] = [], into spool: Spool? = nil,
    environment: [String: String] = [:]
  ) throws -> CommandResult {
    spool?.keep(directory)
    return try withExtendedLifetime(directory) {
      try Command.run(
        before + [executable] + arguments,
        environment: (spool?.environment ?? [:]).merging(environment) { $1 })
    }
  }

  /// Runs the program, which has to succeed, recorded into `spool`; returns its output.
  @discardableResult
  func check(
    _ arguments: [String] = [], into spool: Spool, environment: [String: String] = [:]
  ) throws -> String {
    let result = try run(arguments, into: spool, environment: environment)
    try #require(result.status == 0 && !result.signalled, "\(result.errors)")
    return result.output
  }

  static func runtimeSource(_ name: String) throws -> String {
    try String(contentsOf: runtimeFile(name), encoding: .utf8)
  }

  static func runtimeFile(_ name: String) -> URL {
    Toolchain.project.appending(path: "Tests/Fixtures/runtime/\(name).c")
  }
}

extension Toolchain {
  static func flags(_ tool: String, gated: Bool) throws -> [String] {
    gated ? try flags(tool, "--gated") : try flags(tool)
  }
}

/// A directory that programs are recorded into, and what a profile says of it.
final class Spool {
  let directory: TemporaryDirectory
  /// Those of the programs: a profile is made with their symbols.
  private var kept: [TemporaryDirectory] = []

  init() throws { directory = try TemporaryDirectory() }

  func keep(_ directory: TemporaryDirectory) { kept.append(directory) }

  var environment: [String: String] { ["FIRSTLIGHT_DIR": directory.url.path] }

  func profile() throws -> String {
    let path = directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--directory", directory.url.path, "-o", path,
    ])
    return path
  }

  func traces() throws -> [StoredTrace] { try StoredTrace.all(of: profile()) }

  /// How many images could not be recorded, over all processes.
  func lostImages() throws -> Int? {
    let sum = try Command.check(["sqlite3", profile(), "SELECT sum(lost_images) FROM process"])
    return Int(sum.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
