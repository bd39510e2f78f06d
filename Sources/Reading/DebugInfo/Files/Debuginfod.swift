import FirstlightModel
import Glibc

/// elfutils' client of debuginfod servers (debuginfod_find_debuginfo(3)): it asks the servers in `DEBUGINFOD_URLS`,
/// and keeps files in the cache that it shares with gdb. Loaded when first needed: with it come two dozen libraries.
package enum Debuginfod {
  /// A kind of file that a server has for a build.
  package enum Artifact { case executable, debuginfo }

  /// Called during a download: the client, the bytes received so far, and all of them or 0.
  package typealias Progress = @convention(c) (OpaquePointer?, Int, Int) -> CInt

  /// The servers in `DEBUGINFOD_URLS`.
  package static var servers: [String] {
    (getenv("DEBUGINFOD_URLS").map { String(cString: $0) } ?? "").split(at: " ").map(
      String.init)
  }

  /// The file of a build, from the cache or from a server; nil if no server has it. Blocks.
  ///
  /// - Returns: a descriptor for the caller to close, and the file's path in the cache.
  /// - Throws: `.unavailable` if no server answers, the library is missing or the cache cannot be written.
  package static func find(
    _ artifact: Artifact, of build: BuildID, progress: Progress? = nil
  ) throws(Failure) -> (descriptor: CInt, path: String)? {
    guard let library else {
      throw Failure(
        .unavailable, "libdebuginfod.so.1 is not installed",
        advice: "install it (Debian: libdebuginfod1)")
    }
    guard let client = library.begin() else {
      throw Failure(.unavailable, "libdebuginfod cannot be set up")
    }
    defer { library.end(client) }
    library.setProgress(client, progress)
    let find = artifact == .executable ? library.findExecutable : library.findDebuginfo
    var path: UnsafeMutablePointer<CChar>?
    // A length of 0 means hexadecimal digits.
    let result = build.description.withCString { find(client, $0, 0, &path) }
    defer { free(path) }
    if result >= 0, let path { return (result, String(cString: path)) }
    guard result != -ENOENT else { return nil }
    throw Failure(.unavailable, ErrorText.of(-result))
  }

  /// The folder of files fetched so far (debuginfod-find(1), "CACHE"); nil if no variable determines it.
  /// - Parameter variable: returns the value of an environment variable.
  package static func cache(_ variable: (String) -> String?) -> String? {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path = value("DEBUGINFOD_CACHE_PATH") { return path }
    let home = value("HOME")
    if let home, access("\(home)/.debuginfod_client_cache", F_OK) == 0 {
      return "\(home)/.debuginfod_client_cache"
    }
    return (value("XDG_CACHE_HOME") ?? home.map { "\($0)/.cache" }).map {
      "\($0)/debuginfod_client"
    }
  }

  private struct Library: Sendable {
    typealias Find =
      @Sendable @convention(c) (
        OpaquePointer, UnsafePointer<CChar>, CInt,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
      ) -> CInt

    let begin: @Sendable @convention(c) () -> OpaquePointer?
    let end: @Sendable @convention(c) (OpaquePointer) -> Void
    let setProgress: @Sendable @convention(c) (OpaquePointer, Progress?) -> Void
    let findExecutable: Find
    let findDebuginfo: Find

    init?(_ library: UnsafeMutableRawPointer) {
      func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        dlsym(library, "debuginfod_\(name)")
      }
      guard let begin = symbol("begin"), let end = symbol("end"),
        let progress = symbol("set_progressfn"), let executable = symbol("find_executable"),
        let debuginfo = symbol("find_debuginfo")
      else { return nil }
      self.begin = unsafeBitCast(begin, to: type(of: self.begin))
      self.end = unsafeBitCast(end, to: type(of: self.end))
      setProgress = unsafeBitCast(progress, to: type(of: setProgress))
      findExecutable = unsafeBitCast(executable, to: Find.self)
      findDebuginfo = unsafeBitCast(debuginfo, to: Find.self)
    }
  }

  private static let library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL).flatMap(
    Library.init)
}
