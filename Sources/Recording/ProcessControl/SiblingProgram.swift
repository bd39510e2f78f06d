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

  /// Runs the program with an input, and returns its output. Its errors go to ours.
  ///
  /// - Throws: `Failure` of kind `unavailable` if the program was not found or failed, or `system`.
  package func output(of arguments: [String], input: [UInt8]) throws(Failure) -> [UInt8] {
    let path = try find()
    let files = (fl_unnamed_file(), fl_unnamed_file())
    defer { for file in [files.0, files.1] where file >= 0 { close(file) } }
    guard files.0 >= 0, files.1 >= 0 else {
      throw Failure(.system, "cannot create a file: \(ErrorText.of(errno))")
    }
    let child: ChildProcess
    do {
      try FileContents.write(input, to: files.0)
      lseek(files.0, 0, SEEK_SET)
      child = try ChildProcess(
        [path] + arguments, environment: ProgramEnvironment([:]),
        streams: [files.0, files.1, STDERR_FILENO])
    } catch let error as SystemError {
      throw Failure(.system, "cannot write to a file in memory: \(error.text)")
    } catch {
      throw Failure(.system, "\(path): cannot start")
    }
    let status = child.change(wait: true)?.status
    guard status?.exitStatus == 0 else {
      throw Failure(.unavailable, "\(name) \(status?.text ?? "was lost")")
    }
    do { return try FileContents.readStream("/proc/self/fd/\(files.1)") } catch {
      throw Failure(.system, "\(name): cannot read its output: \(error.text)")
    }
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
    if let tool = AbsolutePath.resolved("/proc/self/exe"), let end = tool.lastIndex(ofUTF8: "/") {
      let beside = tool[...end] + name
      if access(String(beside), X_OK) == 0 { return String(beside) }
    }
    return try? ProgramPath.find(name)
  }
}
