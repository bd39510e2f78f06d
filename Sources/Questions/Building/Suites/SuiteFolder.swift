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
