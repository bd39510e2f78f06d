import FirstlightModel
import Foundation

/// Where `optimize` puts what it makes.
///
/// Each result replaces that of an earlier call when it is complete, so a call that fails leaves what
/// there was.
struct ResultDirectory {
  /// Absolute, without trailing slash.
  let path: String
  /// Of the program's file.
  let name: String

  var before: String { "\(path)/before/\(name)" }
  var after: String { "\(path)/after/\(name)" }
  /// A link that has not been tried yet.
  var candidate: String { "\(path)/after/\(name).candidate" }
  var recorded: String { "\(path)/recorded/\(name)" }
  var profile: String { "\(path)/\(name).flp" }
  var order: String { "\(path)/\(name).order" }
  var prefetch: String { "\(path)/\(name).prefetch.o" }
  /// SwiftPM's folder for our builds.
  var scratch: String { "\(path)/build" }
  func log(_ what: String) -> String { "\(path)/logs/\(what).log" }
  func run(_ number: Int) -> String { "\(path)/logs/run-\(number).flp" }
  /// What the linker says of its last link.
  var map: String { "\(path)/logs/link.map" }
  func report(_ ending: String) -> String { "\(path)/\(name).\(ending)" }

  /// Makes the directories. Fails with `.cannotCreate`, or `.usage` if flags cannot name it.
  init(_ path: String, program: String) throws(Failure) {
    self.path = AbsolutePath.of(path).replacing(/\/+$/, with: "")
    name = program.split(separator: "/").last.map(String.init) ?? program
    let bad = (self.path + name).first { " \t\n,'\"\\$`;&|<>()*?[]#~".contains($0) }
    if let bad {
      throw Failure(
        .usage, "\(self.path)/\(name): has '\(bad)' in it, which linker flags cannot carry",
        advice: "choose another directory with -o")
    }
    for directory in ["before", "after", "recorded", "logs"] {
      do {
        try FileManager.default.createDirectory(
          atPath: "\(self.path)/\(directory)", withIntermediateDirectories: true)
      } catch {
        throw Failure(
          .cannotCreate, "\(self.path): cannot make this directory",
          advice: "choose another one with -o")
      }
    }
  }

  /// Copies a file, with its permissions, and names the copy when it is complete.
  static func copy(_ source: String, to target: String) throws(Failure) {
    let temporary = "\(target).\(getpid()).partial"
    unlink(temporary)
    do {
      try FileManager.default.copyItem(atPath: source, toPath: temporary)
    } catch {
      throw Failure(.inputOutput, "\(source): cannot be copied to \(target)")
    }
    try move(temporary, to: target)
  }

  static func move(_ source: String, to target: String) throws(Failure) {
    guard rename(source, target) == 0 else {
      throw Failure(
        .inputOutput, "\(source): cannot be moved to \(target): \(String(cString: strerror(errno)))"
      )
    }
  }
}
