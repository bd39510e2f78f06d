import FirstlightModel
import Glibc
import SystemSupport

/// How a project is built and tested by default.
package enum VerificationRecipe {
  /// What stands for the command that the project's folder shows.
  package static let automatic = "auto"

  /// - Parameters:
  ///   - command: the user's, or `automatic`.
  ///   - folder: an absolute path in the project.
  ///   - tested: the commands that `firstlight test` used to build and run the tests there.
  /// - Throws: `Failure` of kind `noInput` if the folder does not show how.
  package static func command(
    _ command: String, in folder: String, tested: String?
  ) throws(Failure) -> String {
    guard command == automatic else { return command }
    if let tested { return tested }
    if ProjectFolder.package(around: folder) != nil { return "swift build && swift test" }
    if access("\(folder)/CMakeLists.txt", F_OK) == 0 {
      let tree = ".build-verification"
      return "cmake -S . -B \(tree) && cmake --build \(tree) && ctest --test-dir \(tree)"
    }
    throw Failure(
      .noInput, "\(folder): nothing shows how it is built and tested",
      advice: "name the command: --verify 'make && make test'")
  }
}
