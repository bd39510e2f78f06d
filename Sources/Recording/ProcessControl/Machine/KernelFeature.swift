import FirstlightModel

/// A kernel feature that Firstlight uses, and that a kernel may lack or a container deny; the raw
/// value is its name in JSON.
///
/// Versions are those of Linux: `man 2` of each call, and Documentation/ in the kernel's sources.
package enum KernelFeature: String, CaseIterable, Sendable {
  // Breakpoints: record --no-rebuild, launch.
  case tracing = "ptrace"
  case codeWriting = "proc-mem"
  case systemCallInfo = "syscall-info"
  case memoryComparison = "kcmp"
  // record --attach.
  case attaching = "uprobes"
  // Guards.
  case wipeOnFork = "wipe-on-fork"
  // Measuring.
  case pageDropping = "page-dropping"
  case cacheDropping = "cache-dropping"
  case pageMap = "pagemap"
  case fileWatching = "inotify"
  // The daemon's sandbox.
  case processDescriptor = "pidfd"
  case restrictedOpen = "openat2"
  case descriptorClosing = "close-range"
  case systemCallFilter = "seccomp"

  /// The result of the trial.
  package enum Answer: Hashable, Sendable {
    case works
    /// The call succeeds without effect.
    case hasNoEffect
    /// The system's reason.
    case fails(String)
    /// The trial was impossible, since a prerequisite failed.
    case unknown
  }
}
