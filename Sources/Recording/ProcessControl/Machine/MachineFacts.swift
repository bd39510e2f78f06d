import FirstlightModel

/// Facts about a machine, as this process can observe them.
package struct MachineFacts: Sendable {
  package var host: Host
  /// Version of the C library; empty if unknown.
  package var libc = ""
  /// The kind of container around this process and its evidence; nil if none is known.
  package var container: String?
  package var answers: [KernelFeature: KernelFeature.Answer] = [:]
  /// kernel.yama.ptrace_scope; nil without Yama.
  package var ptraceScope: Int?
  package var rights = AttachRights()
  /// kernel.perf_event_paranoid; nil if unknown.
  var perfParanoia: Int?
  package var folder = Folder()
  package var tools: [Tool] = []
  package var libraries: [Library] = []
  package var debugInformation = DebugInformation()

  package init(host: Host) { self.host = host }

  /// The current folder, where programs to measure are assumed to lie.
  package struct Folder: Sendable {
    package var path = "."
    /// Whether it is on tmpfs or ramfs.
    package var isInMemoryOnly = false
    /// Read-ahead of its device, KiB; nil if unknown.
    package var readahead: Int?

    package init() {}
  }

  /// A program on PATH.
  package struct Tool: Sendable {
    package var name: String
    /// Nil if it was not found.
    package var path: String?
    /// Nil if it prints none.
    package var version: String?

    package init(name: String, path: String? = nil, version: String? = nil) {
      (self.name, self.path, self.version) = (name, path, version)
    }

    var majorVersion: Int? { version.flatMap { Int($0.prefix(upToAny: ".")) } }
  }

  /// A file of Firstlight or a toolchain that commands need later.
  package struct Library: Sendable {
    package var name: String
    /// The reason why it is unusable, with advice; nil if it is usable.
    package var failure: Failure?

    package init(name: String, failure: Failure?) { (self.name, self.failure) = (name, failure) }
  }

  package struct DebugInformation: Sendable {
    package var elfutils = ""
    package var inflatesZstd = false
    /// The servers of DEBUGINFOD_URLS.
    package var servers: [String] = []
  }
}

/// What the machine allows in one respect.
package struct MachineFinding: Hashable, Sendable {
  package enum State: String, Sendable {
    /// Fully available.
    case available
    /// Something is missing, but there is an alternative.
    case limited
    case missing
    /// A neutral fact.
    case note
  }

  /// The name in JSON.
  package let id: String
  package let title: String
  package let state: State
  /// The observed fact.
  package let value: String
  /// Features that are missing or reduced; empty if none.
  package let cost: String
  /// The advice; empty if there is nothing to do.
  package let advice: String

  package init(
    _ id: String, _ title: String, _ state: State, _ value: String, cost: String = "",
    advice: String = ""
  ) {
    (self.id, self.title, self.state, self.value) = (id, title, state, value)
    (self.cost, self.advice) = (cost, advice)
  }
}

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
