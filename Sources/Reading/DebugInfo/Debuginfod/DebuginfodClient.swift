import FirstlightModel
import Glibc
import HTTPTransport
import Synchronization
import SystemSupport

/// Fetches missing debug information once, into the cache that all clients of debuginfod share.
package final class DebuginfodClient: Sendable {
  package let cache: DebuginfodCache
  private let servers: [DebuginfodServer]
  private let limits: DebuginfodServer.Limits
  /// Created at first use, since that takes time.
  private let transport = Mutex<HTTPTransport?>(nil)
  /// Servers that gave no answer; no more requests are sent to them.
  private let silent = Mutex<Set<DebuginfodServer>>([])
  private let count = Atomic(0)

  package init(
    _ servers: [DebuginfodServer], cache: DebuginfodCache, limits: DebuginfodServer.Limits
  ) {
    self.servers = servers
    self.cache = cache
    self.limits = limits
  }

  /// Number of bytes received so far.
  package var bytesReceived: Int { count.load(ordering: .relaxed) }

  /// Whether servers must be asked for a build: it is not in the cache, and no recent request found
  /// it missing everywhere.
  package func mustAsk(for build: BuildID) -> Bool {
    if case .unknown = cache.entry(of: build) { return true }
    return false
  }

  /// Fetches a build's debug information into the cache, from the first server that has it.
  ///
  /// - Returns: whether the cache has it now.
  /// - Throws: the first problem with a server or the cache, if the build is missing because of it.
  package func fetch(_ build: BuildID) async throws(Failure) -> Bool {
    switch cache.entry(of: build) {
    case .present: return true
    case .missing: return false
    case .unknown: break
    }
    let transport = try makeTransport()
    var problem: Failure?
    let silent = silent.withLock { $0 }
    for server in servers where !silent.contains(server) {
      do throws(Failure) {
        let download = try DebuginfodDownload(of: build, in: cache)
        let isThere = try await server.fetch(.debuginfo, of: build, limits: limits, by: transport) {
          part throws(Failure) in
          try download.append(part)
          count.add(part.count, ordering: .relaxed)
        }
        guard isThere else { continue }
        try download.finish()
        return true
      } catch {
        problem = problem ?? error
        if error.kind == .unavailable { self.silent.withLock { _ = $0.insert(server) } }
      }
    }
    if let problem { throw problem }
    // The silent servers might have the build.
    if silent.isEmpty { cache.noteMissing(build) }
    return false
  }

  /// The transport, created by the first call.
  private func makeTransport() throws(Failure) -> HTTPTransport {
    try transport.withLock { (transport: inout HTTPTransport?) throws(Failure) in
      if let transport { return transport }
      let made = try HTTPTransport(.init(readTimeout: min(30, limits.seconds)))
      transport = made
      return made
    }
  }
}

/// A cache file during its download: it has a temporary name until it is complete.
final class DebuginfodDownload {
  private let descriptor: CInt
  private let target: String
  private var temporary: String
  private var isWhole = false

  /// - Throws: `.cannotCreate` if the file cannot be made.
  init(of build: BuildID, in cache: DebuginfodCache) throws(Failure) {
    try cache.makeFolder(of: build)
    target = cache.path(of: build)
    var template = Array("\(target).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    temporary = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    guard descriptor >= 0 else { throw Self.failure(target) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isWhole { unlink(temporary) }
  }

  /// - Throws: `.cannotCreate` if the disk is full.
  func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    do { try FileContents.write(bytes, to: descriptor) } catch {
      throw Self.failure(target, error.code)
    }
  }

  /// Renames the file, replacing an existing one.
  func finish() throws(Failure) {
    guard rename(temporary, target) == 0 else { throw Self.failure(target) }
    isWhole = true
  }

  private static func failure(_ path: String, _ code: CInt = errno) -> Failure {
    Failure(.cannotCreate, "\(path): cannot be written (\(ErrorText.of(code)))")
  }
}
