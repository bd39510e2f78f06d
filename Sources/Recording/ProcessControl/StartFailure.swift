import FirstlightModel
import Glibc
import SystemSupport

extension Failure {
  /// The reason why exec did not start a program.
  ///
  /// - Parameter error: exec's error; its ENOENT and EACCES have several causes.
  package static func cannotStart(_ program: String, _ error: Int32) -> Failure {
    let file = program.containsUTF8("/") ? program : "./" + program
    let cause =
      error == ENOEXEC
      ? StartFailure(notExecutable: program)
      : StartFailure(of: file, isOnPath: file == program, error)
    return Failure(
      error == ENOENT && cause?.isFound != true ? .notFound : .notExecutable,
      "\(program): cannot start: \(cause?.reason ?? ErrorText.of(error))",
      advice: cause?.advice ?? "")
  }
}

/// The problem of an existing file that exec does not start.
private struct StartFailure {
  var reason: String
  var advice = ""
  /// Whether the file is the requested program.
  var isFound = true

  private enum Content {
    case elf
    /// The interpreter in the script's first line.
    case script(String)
    case other
  }

  /// - Parameter program: looked up as exec would.
  init(notExecutable program: String) {
    reason =
      ProgramMachine.foreign(program).map {
        "built for \($0), and this machine is \(ProgramMachine.ownName)"
      } ?? Self.noProgram
  }

  /// Nil if the file gives no more information than the error.
  ///
  /// - Parameter isOnPath: whether exec found this very file.
  init?(of file: String, isOnPath: Bool, _ error: Int32) {
    let quoted = Escaping.shellWord(file)
    var status = stat()
    guard error == ENOENT || error == EACCES, stat(file, &status) == 0 else { return nil }
    let isExecutable = access(file, X_OK) == 0
    switch (status.st_mode & S_IFMT, Self.content(of: file)) {
    case (S_IFDIR, _): reason = "it is a directory"
    case (S_IFREG, .other) where !isExecutable: reason = "it is no program: \(Self.noProgram)"
    case (S_IFREG, _) where !isExecutable:
      (reason, advice) = ("it is not executable", "run chmod +x \(quoted), then start \(quoted)")
    case (S_IFREG, _) where !isOnPath:
      (reason, advice) = (ErrorText.of(error), "it is not on PATH, but here: \(quoted)")
      isFound = false
    case (S_IFREG, .script(let interpreter)) where error == ENOENT:
      reason = "its interpreter \(interpreter) does not exist"
    case (S_IFREG, .elf) where error == ENOENT:
      (reason, advice) = ("the loader that it names does not exist", "see readelf -l \(quoted)")
    default: return nil
    }
  }

  private static let noProgram = "neither an ELF program nor a script with #!"

  private static func content(of file: String) -> Content {
    guard access(file, R_OK) == 0 else { return .elf }  // executable but unreadable
    let start = FileStart.bytes(of: file)
    if FileStart.isELF(start) { return .elf }
    guard start.starts(with: "#!".utf8) else { return .other }
    let line = start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(at: " ")
    return .script(words.first.map(String.init) ?? "")
  }
}

/// The failure for a program that cannot be traced, with advice.
package enum TracingRefusal {
  /// - Parameter isRunning: whether the program was running before, and is not a child of ours.
  package static func failure(
    _ what: String, error: Int32, isRunning: Bool = false
  ) -> Failure {
    let reason = "\(what): \(ErrorText.of(error))"
    guard error == EPERM || error == EACCES || error == ENOSYS else {
      return Failure(.system, reason)
    }
    let scope = ProcFile.number("/proc/sys/kernel/yama/ptrace_scope")
    return Failure(
      .unavailable, isRunning ? reason : "the program \(reason)",
      advice: TracingAdvice.text(scope: scope, isRunning: isRunning)
        + "; firstlight doctor shows what else is missing")
  }
}
