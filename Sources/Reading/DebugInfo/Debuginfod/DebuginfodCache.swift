import FirstlightModel
import Glibc

/// The folder of files fetched from debuginfod, shared with gdb and all users of libdebuginfod
/// (debuginfod-find(1), "CACHE"): a folder for each build id, with an empty file if no server had
/// the build.
package struct DebuginfodCache: Sendable {
  package let folder: String

  /// Time during which servers are not asked again for a missing build: elfutils' default.
  private static let missSeconds = 600

  package init(folder: String) { self.folder = folder }

  /// The folder that elfutils' clients use.
  /// - Parameter variable: returns the value of an environment variable.
  /// - Returns: nil if no variable determines the folder.
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

  /// The cache's knowledge about a build's debug information.
  enum Entry {
    case present
    /// A short time ago, no server had it.
    case missing
    case unknown
  }

  /// The path of a build's debug information.
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

  /// Records that no server has a build.
  func noteMissing(_ build: BuildID) {
    guard (try? makeFolder(of: build)) != nil else { return }
    let file = open(path(of: build), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    if file >= 0 { close(file) }
  }

  /// - Throws: `.cannotCreate` if the folder cannot be made.
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
