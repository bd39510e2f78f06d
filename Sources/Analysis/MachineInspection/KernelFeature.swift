/// Something Firstlight asks of the kernel that a kernel may lack or a container deny; the raw value names it
/// in JSON.
///
/// Versions are those of Linux: `man 2` of each call, and Documentation/ in the kernel's sources.
package enum KernelFeature: String, CaseIterable, Sendable {
  // Breakpoints: record --no-rebuild, launch.
  case tracing = "ptrace"
  case codeWriting = "proc-mem"
  case systemCallInfo = "syscall-info"
  case rseqConfiguration = "rseq-configuration"
  case memoryComparison = "kcmp"
  case runTimes = "schedstat"
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

  /// What trying it gave.
  package enum Answer: Hashable, Sendable {
    case works
    /// The call succeeds and changes nothing.
    case hasNoEffect
    /// With the system's reason.
    case fails(String)
    /// It could not be tried, because what it needs failed.
    case unknown
  }
}
