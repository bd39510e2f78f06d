import FirstlightModel
import Glibc
import SystemSupport

/// The default command that builds and tests a project.
package enum VerificationRecipe {
  /// The placeholder for a command that depends on the project's folder.
  package static let automatic = "auto"

  /// - Parameters:
  ///   - command: the user's, or `automatic`.
  ///   - folder: an absolute path in the project.
  ///   - tested: the commands of `firstlight test` for this project.
  /// - Throws: `Failure` of kind `noInput` if the folder has no known build system.
  package static func command(
    _ command: String, in folder: String, tested: String?
  ) throws(Failure) -> String {
    guard command == automatic else { return command }
    if let tested { return tested }
    if ProjectFolder.package(around: folder) != nil { return "swift build && swift test" }
    if access("\(folder)/CMakeLists.txt", F_OK) == 0 {
      return cmake()
    }
    throw Failure(
      .noInput, "\(folder): nothing shows how it is built and tested",
      advice: "name the command: --verify 'make && make test'")
  }

  /// - Parameter definitions: `NAME=VALUE` each.
  static func cmake(_ definitions: [String] = []) -> String {
    let tree = ".build-verification"
    let defined = definitions.map { " " + Escaping.shellWord("-D" + $0) }.joined()
    return "cmake -S . -B \(tree)\(defined) && cmake --build \(tree) && ctest --test-dir \(tree)"
  }
}
