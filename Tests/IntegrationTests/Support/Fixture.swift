import Foundation
import TestSupport
import Testing

/// A small program built for one test, by the real compiler with the words of `firstlight flags`.
struct Fixture {
  let directory: TemporaryDirectory
  let executable: String

  /// Compiles a program once for all tests with the same words; each has a copy.
  /// - Parameters:
  ///   - flags: in place of what `firstlight flags` says.
  ///   - isOwn: whether the source is the test's own, which it may change or remove.
  static func c(
    _ source: String, options: [String] = ["-O1"], flags: [String]? = nil, link: [String] = [],
    isOwn: Bool = false
  ) throws -> Fixture {
    let flags = try flags.map { ProgramTarget.options + $0 } ?? Toolchain.flags("clang")
    func words(_ folder: String) -> [String] {
      [ProgramTarget.compiler, "-g"] + options
        + ["\(folder)/main.c", "-o", "\(folder)/program"] + flags + link
    }
    let directory: TemporaryDirectory
    if isOwn {
      directory = try TemporaryDirectory()
      try directory.write(source, to: "main.c")
      try Command.check(words(directory.url.path))
    } else {
      directory = try TemporaryDirectory(
        copying: CompiledProgram.folder(of: ["main.c": source], words))
    }
    return Fixture(directory: directory, executable: directory.path("program"))
  }

  static func swift(
    _ source: String, options: [String] = ["-O"], flags: [String]? = nil
  ) throws -> Fixture {
    try swift(files: ["main.swift": source], options: options, flags: flags)
  }

  /// - Parameter files: sources by name.
  static func swift(
    files: [String: String], options: [String], flags: [String]? = nil
  ) throws -> Fixture {
    let directory = try TemporaryDirectory()
    let paths = try files.sorted { $0.key < $1.key }.map { try directory.write($1, to: $0) }
    let executable = directory.path("program")
    try Command.check(
      ["swiftc", "-g"] + options + paths + ["-o", executable]
        + (flags ?? Toolchain.flags("swiftc")), in: directory.url)
    return Fixture(directory: directory, executable: executable)
  }

  /// Records a run that has to end well; returns the profile's path.
  func record(_ arguments: String...) throws -> String {
    let profile = directory.path("\(UUID().uuidString).flp")
    try Command.check(
      [Toolchain.firstlight, "record", "-o", profile, "--", executable] + arguments)
    return profile
  }
}
