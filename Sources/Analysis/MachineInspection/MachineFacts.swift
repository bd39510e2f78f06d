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
