import FirstlightModel

/// What was found out about a machine, as this process sees it.
package struct MachineFacts: Sendable {
  package var host: Host
  /// Version of the C library; empty if unknown.
  package var libc = ""
  /// What keeps us from the machine itself, and by what mark; nil: nothing that is known.
  package var container: String?
  /// Whether a filter of system calls is in force (seccomp(2)).
  package var isFiltered = false
  package var answers: [KernelFeature: KernelFeature.Answer] = [:]
  /// kernel.yama.ptrace_scope; nil without Yama.
  package var ptraceScope: Int?
  /// kernel.perf_event_paranoid; nil if unknown.
  package var perfParanoia: Int?
  package var folder = Folder()
  package var tools: [Tool] = []
  package var libraries: [Library] = []
  package var debugInformation = DebugInformation()

  package init(host: Host) { self.host = host }

  /// Where programs to be measured are taken to lie: the current folder.
  package struct Folder: Sendable {
    package var path = "."
    /// On tmpfs or ramfs.
    package var isInMemoryOnly = false
    /// Of its device, KiB; nil if unknown.
    package var readahead: Int?

    package init() {}
  }

  /// A program on PATH.
  package struct Tool: Sendable {
    package var name: String
    /// Nil if there is none.
    package var path: String?
    /// Nil if it does not say.
    package var version: String?

    package init(name: String, path: String? = nil, version: String? = nil) {
      (self.name, self.path, self.version) = (name, path, version)
    }

    var majorVersion: Int? { version.flatMap { Int($0.prefix { $0 != "." }) } }
  }

  /// A file that belongs to Firstlight or a toolchain and is needed later.
  package struct Library: Sendable {
    package var name: String
    /// Why it cannot be used, with what to do; nil: it can.
    package var failure: Failure?

    package init(name: String, failure: Failure?) { (self.name, self.failure) = (name, failure) }
  }

  package struct DebugInformation: Sendable {
    package var elfutils = ""
    package var inflatesZstd = false
    /// The servers of DEBUGINFOD_URLS.
    package var servers: [String] = []

    package init() {}
  }
}

/// What a machine allows in one respect.
package struct MachineFinding: Hashable, Sendable {
  package enum State: String, Sendable {
    /// As good as it gets.
    case available
    /// Something is missing, and there is another way.
    case limited
    case missing
    /// Neither good nor bad.
    case note
  }

  /// Names it in JSON.
  package let id: String
  package let title: String
  package let state: State
  /// What was found.
  package let value: String
  /// What does not work, or works less well; empty if nothing.
  package let cost: String
  /// What to do about it; empty if there is nothing to do.
  package let advice: String

  package init(
    _ id: String, _ title: String, _ state: State, _ value: String, cost: String = "",
    advice: String = ""
  ) {
    (self.id, self.title, self.state, self.value) = (id, title, state, value)
    (self.cost, self.advice) = (cost, advice)
  }
}

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
