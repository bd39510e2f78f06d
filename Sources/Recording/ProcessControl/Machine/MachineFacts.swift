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
