import FirstlightModel
import Foundation
import Glibc
import ProcessControl
import Recording
import SystemSupport

/// The directory for the results of `optimize`.
///
/// A call works in a subdirectory of its own, and its results replace those of an earlier call when all are
/// complete. So a failed call changes no results.
package struct ResultDirectory {
  /// Absolute, without trailing slash.
  package let path: String
  /// The name of the program's file.
  package let name: String
  /// As the user wrote it, without trailing slash.
  private let given: String

  /// The final files.
  package var files: ResultFiles { ResultFiles(path, name: name) }
  /// The files that this call has made so far.
  package var unfinished: ResultFiles { ResultFiles("\(path)/unfinished", name: name) }
  /// The final files, by paths for the directory in which the user works.
  var shown: ResultFiles { ResultFiles(given, name: name) }
  package func log(_ what: String) -> String { "\(path)/logs/\(what).log" }
  /// The linker's map of the last link.
  package var map: String { "\(path)/logs/link.map" }
  /// A path of that map for lld, which writes by way of a file whose name is a pattern: it replaces each `%`, also in
  /// names of folders.
  package private(set) var linkedMap: String

  /// Creates the directories. Throws `.cannotCreate`, or `.usage` if flags cannot contain the path.
  package init(_ path: String, program: String) throws(Failure) {
    given = Self.withoutSlash(path)
    self.path = Self.withoutSlash(AbsolutePath.of(path))
    name = BaseName.of(program)
    linkedMap = "\(self.path)/logs/link.map"
    let bad = (self.path + name).unicodeScalars.first {
      "\t\n,'\"\\$`;&|<>()*?[]#~".unicodeScalars.contains($0)
    }
    if let bad {
      throw Failure(
        .usage, "\(self.path)/\(name): contains '\(bad)', which linker flags cannot contain",
        advice: "choose another directory with -o")
    }
    let isNew = access(self.path, F_OK) != 0
    // Removes the files of a failed call.
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
    // The descriptor stays open: builds write there until we end.
    if self.path.containsUTF8("%") {
      let folder = open("\(self.path)/logs", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      linkedMap = "/proc/\(getpid())/fd/\(folder)/link.map"
    }
    // A directory of our own is not for version control.
    if isNew { try ResultFile.write("*\n", to: "\(self.path)/.gitignore") }
  }

  private static func withoutSlash(_ path: String) -> String {
    var path = path[...]
    while let shorter = path.removing(suffix: "/") { path = shorter }
    return String(path)
  }

  /// Replaces the results of an earlier call by those of this one.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  package func publish() throws(Failure) {
    // Blocks signals, so that all files are replaced or none.
    let signals = try EndingSignals { _ in }
    defer { withExtendedLifetime(signals) {} }
    // Both programs can also be started from their final places.
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

  /// Copies a program to be started here. The copy finds libraries beside the original.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  func copyProgram(_ source: String, to target: String) throws(Failure) {
    try Self.copy(source, to: target)
    OriginLibraries.link(from: source, for: target, within: path)
  }

  /// Copies a file with its permissions. The copy gets its name only when it is complete.
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
