import FirstlightLauncher
import FirstlightModel
import Glibc
import SystemSupport

/// A program of Firstlight: beside this one, or on PATH.
package struct SiblingProgram {
  private let name: String

  package init(_ name: String) { self.name = name }

  /// Replaces this process by the program, with these arguments.
  ///
  /// - Returns: the failure: a `Failure` of kind `unavailable` if the program was not found, or `system`.
  package func replace(with arguments: [String]) -> Failure {
    do throws(Failure) {
      let path = try find()
      fl_restore_inherited()
      withCArguments([path] + arguments) { _ = execv(path, $0) }
      return Failure(.system, "\(path): cannot start: \(ErrorText.of(errno))")
    } catch { return error }
  }

  /// The program's path.
  ///
  /// - Throws: `Failure` of kind `unavailable` if it was not found.
  package func find() throws(Failure) -> String {
    if let path { return path }
    throw Failure(
      .unavailable, "\(name): not found beside firstlight or on PATH",
      advice: "install \(name), or build it with: swift build -c release --product \(name)")
  }

  private var path: String? {
    if let tool = AbsolutePath.resolved("/proc/self/exe"), let end = tool.lastIndex(of: "/") {
      let beside = tool[...end] + name
      if access(String(beside), X_OK) == 0 { return String(beside) }
    }
    return try? ProgramPath.find(name)
  }
}
