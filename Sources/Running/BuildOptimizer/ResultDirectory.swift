import FirstlightModel
import Foundation
import SystemSupport

/// Where `optimize` puts what it makes.
///
/// Each result replaces that of an earlier call when it is complete, so a call that fails leaves what
/// there was.
package struct ResultDirectory {
  /// Absolute, without trailing slash.
  package let path: String
  /// Of the program's file.
  package let name: String

  package var before: String { "\(path)/before/\(name)" }
  package var after: String { "\(path)/after/\(name)" }
  /// A link that has not been tried yet.
  package var candidate: String { "\(path)/after/\(name).candidate" }
  package var recorded: String { "\(path)/recorded/\(name)" }
  package var profile: String { "\(path)/\(name).flp" }
  package var order: String { "\(path)/\(name).order" }
  /// Not `.o`: a build that cleans up first would take it along.
  package var prefetch: String { "\(path)/\(name).prefetch" }
  /// SwiftPM's folder for our builds.
  package var scratch: String { "\(path)/build" }
  package func log(_ what: String) -> String { "\(path)/logs/\(what).log" }
  /// What the linker says of its last link.
  package var map: String { "\(path)/logs/link.map" }
  /// The flags to keep, for `$(cat FILE)` or, with clang and gcc, `@FILE`.
  package var flags: String { "\(path)/\(name).flags" }
  package func report(_ ending: String) -> String { "\(path)/\(name).\(ending)" }

  /// Makes the directories. Fails with `.cannotCreate`, or `.usage` if flags cannot name it.
  package init(_ path: String, program: String) throws(Failure) {
    self.path = AbsolutePath.of(path).replacing(/\/+$/, with: "")
    name = BaseName.of(program)
    let bad = (self.path + name).first { " \t\n,'\"\\$`;&|<>()*?[]#~".contains($0) }
    if let bad {
      throw Failure(
        .usage, "\(self.path)/\(name): contains '\(bad)', which linker flags cannot contain",
        advice: "choose another directory with -o")
    }
    for directory in ["before", "after", "recorded", "logs"] {
      do {
        try FileManager.default.createDirectory(
          atPath: "\(self.path)/\(directory)", withIntermediateDirectories: true)
      } catch {
        throw Failure(
          .cannotCreate, "\(self.path): cannot create this directory",
          advice: "choose another one with -o")
      }
    }
  }

  /// Copies a file, with its permissions, and names the copy when it is complete.
  package static func copy(_ source: String, to target: String) throws(Failure) {
    let temporary = "\(target).\(getpid()).partial"
    unlink(temporary)
    do {
      try FileManager.default.copyItem(atPath: source, toPath: temporary)
    } catch {
      throw Failure(.inputOutput, "\(source): cannot be copied to \(target)")
    }
    try move(temporary, to: target)
  }

  package static func move(_ source: String, to target: String) throws(Failure) {
    guard rename(source, target) == 0 else {
      throw Failure(
        .inputOutput, "\(source): cannot be moved to \(target): \(ErrorText.of(errno))"
      )
    }
  }
}
