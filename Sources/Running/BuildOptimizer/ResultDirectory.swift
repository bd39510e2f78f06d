import FirstlightModel
import Foundation
import ProcessControl
import Recording
import SystemSupport

/// Where `optimize` puts what it makes.
///
/// A call works in a directory of its own in it, and its results replace those of an earlier call when all
/// are there, so a call that fails leaves what there was.
package struct ResultDirectory {
  /// Absolute, without trailing slash.
  package let path: String
  /// Of the program's file.
  package let name: String

  /// What stays.
  package var files: ResultFiles { ResultFiles(path, name: name) }
  /// What this call has made so far.
  package var unfinished: ResultFiles { ResultFiles("\(path)/unfinished", name: name) }
  /// SwiftPM's folder for our builds.
  package var scratch: String { "\(path)/build" }
  package func log(_ what: String) -> String { "\(path)/logs/\(what).log" }
  /// The linker's map of its last link.
  package var map: String { "\(path)/logs/link.map" }

  /// Makes the directories. Fails with `.cannotCreate`, or `.usage` if flags cannot name it.
  package init(_ path: String, program: String) throws(Failure) {
    self.path = AbsolutePath.of(path).replacing(/\/+$/, with: "")
    name = BaseName.of(program)
    let bad = (self.path + name).first { "\t\n,'\"\\$`;&|<>()*?[]#~".contains($0) }
    if let bad {
      throw Failure(
        .usage, "\(self.path)/\(name): contains '\(bad)', which linker flags cannot contain",
        advice: "choose another directory with -o")
    }
    // What a call left that failed.
    try? FileManager.default.removeItem(atPath: unfinished.path)
    for directory in files.directories + unfinished.directories + ["\(self.path)/logs"] {
      do {
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: true)
      } catch {
        throw Failure(
          .cannotCreate, "\(self.path): cannot create this directory",
          advice: "choose another one with -o")
      }
    }
  }

  /// Puts the results of this call in the place of those of an earlier one.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  package func publish() throws(Failure) {
    // All of it or nothing: signals wait.
    let signals = try EndingSignals { _ in }
    defer { withExtendedLifetime(signals) {} }
    // Both programs can be started from where they stay, too.
    for (new, old) in [(unfinished.before, files.before), (unfinished.after, files.after)] {
      OriginLibraries.link(from: new, for: old, within: path)
    }
    for (new, old) in zip(unfinished.all, files.all) {
      if access(new, F_OK) == 0 {
        try Self.move(new, to: old)
      } else {
        unlink(old)
      }
    }
    try? FileManager.default.removeItem(atPath: unfinished.path)
  }

  /// Copies a program to be started here, which finds the libraries that lie beside the original.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  func copyProgram(_ source: String, to target: String) throws(Failure) {
    try Self.copy(source, to: target)
    OriginLibraries.link(from: source, for: target, within: path)
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
