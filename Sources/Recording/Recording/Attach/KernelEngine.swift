import FirstlightModel
import FirstlightProbes
import Glibc
import ProcessControl
import SystemSupport

/// The kernel's probes as an engine.
enum KernelEngine {
  /// Why they cannot be used here; nil: they can.
  static func refusal() -> Failure? {
    let error = fl_probes_try()
    return error == 0 ? nil : failure(error)
  }

  private static let otherwise = "a program that may die can be watched with --ptrace"

  static func failure(_ error: Int32) -> Failure {
    switch error {
    case EPERM, EACCES:
      Failure(
        .unavailable, "the kernel's probes are not permitted here",
        advice: "\(AttachRights.own.advice(kernel: HostInfo.describe().kernel)); \(otherwise)")
    case EINVAL, ENOSYS, EOPNOTSUPP:
      Failure(
        .unavailable, "the kernel has no probes for many functions at once (uprobe_multi)",
        advice: "they need Linux 6.6; \(otherwise)")
    case ENOMEM: Failure(.system, "no memory left for the kernel's probes")
    default: Failure(.system, "the kernel's probes: \(ErrorText.of(error))")
    }
  }
}
