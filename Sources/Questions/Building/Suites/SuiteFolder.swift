import FirstlightModel
import Foundation
import Glibc
import ProfileFile
import ReferenceIndex
import SystemSupport

/// The folder for builds and results of `test`, beside the user's own build.
package struct SuiteFolder {
  /// The project's absolute path.
  package let project: String

  package var path: String { "\(project)/\(LastProfile.testFolder)" }
  package var profile: String { "\(path)/tests.\(ProfileFile.pathExtension)" }
  var lock: String { "\(path)/lock" }
  package func log(_ what: String) -> String { "\(path)/logs/\(what).log" }
  var compilers: String { "\(path)/bin" }
  var cmake: String { "\(path)/cmake" }
  /// Path of clang's index.
  var index: String { "\(project)/\(IndexStoreLocation.ofTests)" }
  private var commands: String { "\(path)/commands" }

  package init(project: String) { self.project = project }

  /// Creates the folders, and makes version control ignore them. Fails with `.cannotCreate`.
  package func create() throws(Failure) {
    for folder in ["\(path)/logs", compilers] {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw Failure(
          .cannotCreate, "\(path): cannot create this folder",
          advice: "make \(project) writable, or test a copy of it")
      }
    }
    try ResultFile.write("*\n", to: "\(path)/.gitignore")
  }

  /// Removes CMake's tree if it was made with other definitions: its cache keeps those that are not given again, and
  /// its tests those that an option has taken out.
  func prepareCMake(_ definitions: [String]) throws(Failure) {
    let text = definitions.map { $0 + "\n" }.joined()
    let note = "\(cmake).definitions"
    if (try? TextFile.read(note)) ?? "" != text {
      try? FileManager.default.removeItem(atPath: cmake)
    }
    try ResultFile.write(text, to: note)
  }

  /// The user's command that builds and runs the tests, if the last run was given one.
  package var plainCommand: String? { try? TextFile.read(commands) }

  func note(plainCommand: String?) throws(Failure) {
    if let plainCommand {
      try ResultFile.write(plainCommand, to: commands)
    } else {
      unlink(commands)
    }
  }
}

/// Prevents two concurrent runs of `test` from sharing a build folder and logs. Held as long as
/// this object lives.
package final class SuiteLock {
  // Owned; closing it in deinit lets the next run in. Child processes do not inherit it.
  private let file: Int32

  /// Waits until no other run holds the lock, and reports the holder.
  ///
  /// - Parameter onWait: called once with the report, if the caller has to wait.
  /// - Throws: `Failure` of kind `cannotCreate` naming the file, or `system`.
  package init(
    _ path: String, onWait: (String) -> Void = { Terminal.report($0) }
  ) throws(Failure) {
    file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.cannotCreate, "\(path): cannot write: \(ErrorText.of(errno))")
    }
    if flock(file, LOCK_EX | LOCK_NB) != 0 {
      let holder = (try? TextFile.read(path)).flatMap { pid_t($0.prefix(upToAny: "\n")) }
      onWait(
        "waiting for another firstlight test here"
          + (holder.map { " (process \($0))" } ?? ""))
      try wait(path)
    }
    let text = "\(getpid())\n"
    ftruncate(file, 0)
    pwrite(file, text, text.utf8.count, 0)
  }

  deinit { close(file) }

  private func wait(_ path: String) throws(Failure) {
    while flock(file, LOCK_EX) != 0 {
      guard errno == EINTR else {
        throw Failure(.system, "\(path): cannot lock: \(ErrorText.of(errno))")
      }
    }
  }
}
