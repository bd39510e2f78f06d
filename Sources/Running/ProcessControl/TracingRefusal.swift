import FirstlightModel
import Glibc
import MachineInspection
import SystemSupport

/// The failure of a program that cannot be traced, with how to permit it.
package enum TracingRefusal {
  package static func failure(_ what: String, error: Int32) -> Failure {
    let reason = "\(what): \(ErrorText.of(error))"
    guard error == EPERM || error == EACCES || error == ENOSYS else {
      return Failure(.system, reason)
    }
    let scope = ProcFile.number("/proc/sys/kernel/yama/ptrace_scope")
    return Failure(
      .unavailable, "the program \(reason)",
      advice: TracingAdvice.text(scope: scope) + "; firstlight doctor shows what else is missing")
  }
}
