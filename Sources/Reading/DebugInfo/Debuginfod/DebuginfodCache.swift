import FirstlightModel
import Glibc

/// The folder where clients of debuginfod keep what they fetched, shared with gdb and all that uses
/// libdebuginfod (debuginfod-find(1), "CACHE"): a folder for each build id, an empty file where no server had
/// anything.
package struct DebuginfodCache: Sendable {
  package let folder: String

  /// How long servers are not asked again for a build that none of them had: elfutils' default.
  private static let missSeconds = 600

  package init(folder: String) { self.folder = folder }

  /// Where elfutils' clients have it.
  /// - Parameter variable: the value of an environment variable.
  /// - Returns: nil if nothing says where.
  package static func standard(_ variable: (String) -> String?) -> DebuginfodCache? {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path = value("DEBUGINFOD_CACHE_PATH") { return DebuginfodCache(folder: path) }
    let home = value("HOME")
    if let home, access("\(home)/.debuginfod_client_cache", F_OK) == 0 {
      return DebuginfodCache(folder: "\(home)/.debuginfod_client_cache")
    }
    guard let caches = value("XDG_CACHE_HOME") ?? home.map({ "\($0)/.cache" }) else { return nil }
    return DebuginfodCache(folder: "\(caches)/debuginfod_client")
  }

  /// What is known of a build's debug information.
  enum Entry {
    case present
    /// No server had it a short time ago.
    case missing
    case unknown
  }

  /// Where the debug information of a build is.
  func path(of build: BuildID) -> String { "\(folder)/\(build)/debuginfo" }

  func entry(of build: BuildID) -> Entry {
    var status = stat()
    guard stat(path(of: build), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .unknown
    }
    if status.st_size > 0 { return .present }
    let age = time(nil) - status.st_mtim.tv_sec
    if age >= 0, age < Self.missSeconds { return .missing }
    unlink(path(of: build))
    return .unknown
  }

  /// Notes that no server has a build.
  func noteMissing(_ build: BuildID) {
    guard (try? makeFolder(of: build)) != nil else { return }
    let file = open(path(of: build), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    if file >= 0 { close(file) }
  }

  /// - Throws: `.cannotCreate` if there can be no such folder.
  func makeFolder(of build: BuildID) throws(Failure) {
    let path = "\(folder)/\(build)"
    for end in path.indices.dropFirst().filter({ path[$0] == "/" }) + [path.endIndex] {
      let part = String(path[..<end])
      guard mkdir(part, 0o700) != 0, errno != EEXIST else { continue }
      let reason = ErrorText.of(errno)
      throw Failure(.cannotCreate, "\(part): cannot be created (\(reason))")
    }
  }
}
