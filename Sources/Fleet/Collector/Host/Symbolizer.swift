import BuildReader
import DebugInfo
import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import Logging
import ServiceLifecycle
import Synchronization
import SystemSupport

/// Finds the function table of each build, once. Sources are the path where the build ran, `.build-id/` in the
/// debug directories and, if enabled, debuginfod servers (debuginfod(8), the web interface).
final class Symbolizer: Service {
  let store: any FleetStore
  let reader: BuildReader
  let debugDirectories: [String]
  let monitor: DaemonMonitor
  private let logger: Logger
  /// Nil if debuginfod is disabled.
  private let transport: HTTPTransport?
  private let wake = WakeUp()
  /// The time of the last search for each build, seconds since 1970.
  private let tried = Mutex<[BuildKey: Double]>([:])

  init(
    store: any FleetStore, reader: BuildReader, debugDirectories: [String],
    transport: HTTPTransport?, monitor: DaemonMonitor, logger: Logger
  ) {
    self.store = store
    self.reader = reader
    self.debugDirectories = debugDirectories
    self.transport = transport
    self.monitor = monitor
    self.logger = logger
  }

  /// Announces that there may be new builds.
  func lookSoon() { wake.wake() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.nameBuilds()
        // Deliveries come in bursts; new builds are rare.
        try? await Task.sleep(for: .milliseconds(500))
        await self.wake.wait(seconds: 600)
      }
    }
  }

  private func nameBuilds() async {
    var page = Page(limit: 200)
    do {
      while true {
        let builds = try await store.builds(BuildFilter(), page: page)
        for build in builds where build.wantsFunctions && isDue(build) {
          if Task.isCancelled { return }
          await name(build)
        }
        guard let last = builds.last, builds.count == page.limit else { return }
        page.after = PagePosition(program: last.program, build: last.key)
      }
    } catch {
      // An error at shutdown is no failure.
      guard !Task.isCancelled else { return }
      logger.warning("cannot name functions", metadata: ["reason": "\(error)"])
    }
  }

  /// A missing file is searched for again after ten minutes. A table that may be improved is tried again once.
  private func isDue(_ build: FleetBuild) -> Bool {
    let now = Clock.realtime()
    return build.key.recorder != .breakpoints
      && tried.withLock { tried in
        if let last = tried[build.key], build.hasFunctions || now - last < 599 && now >= last {
          return false
        }
        tried[build.key] = now
        return true
      }
  }

  private func name(_ build: FleetBuild) async {
    for place in candidates(for: build) {
      // A file that cannot be opened counts as missing.
      guard let file = try? BuildFile(path: place.path, trusted: place.isTrusted) else { continue }
      if await attempt(
        file.identity, at: place.path, for: build, isTrusted: place.isTrusted,
        read: {
          () async throws(BuildReadError) in
          try await self.reader.read(
            file, name: build.program, expecting: build.key.buildID, looksBeside: !place.isTrusted)
        })
      {
        return
      }
    }
    guard let transport, !build.key.buildID.isFileDigest else { return }
    for server in Self.servers {
      let url = server.address(of: build.key.buildID)
      if await attempt(
        url, at: url, for: build, isTrusted: false,
        read: {
          () async throws(BuildReadError) in
          guard let file = await self.fetch(.executable, of: build, server, transport) else {
            throw .unfit(Failure(.noInput, "\(url): no executable"))
          }
          let debugFile = await self.fetch(.debuginfo, of: build, server, transport)
          return try await self.reader.read(
            file, name: build.program, expecting: build.key.buildID, debugFile: debugFile)
        })
      {
        return
      }
    }
  }

  private static var servers: [DebuginfodServer] {
    DebuginfodServer.list(getenv("DEBUGINFOD_URLS").map { String(cString: $0) } ?? "")
  }

  /// A file from a server; nil if the server does not have it.
  private func fetch(
    _ artifact: DebuginfodServer.Artifact, of build: FleetBuild, _ server: DebuginfodServer,
    _ transport: HTTPTransport
  ) async -> BuildFile? {
    let id = build.key.buildID
    do throws(Failure) {
      let scratch = try ScratchFile(called: "\(server.address(of: id))/\(artifact.rawValue)")
      let isThere = try await server.fetch(artifact, of: id, by: transport) {
        part throws(Failure) in try scratch.append(part)
      }
      return isThere ? try scratch.file() : nil
    } catch {
      logger.warning("debuginfod does not answer", metadata: ["reason": "\(error)"])
      return nil
    }
  }

  /// Reads a file for a build, unless this failed too often.
  ///
  /// - Parameters:
  ///   - identity: the file and its contents.
  ///   - path: its place, for people.
  ///   - isTrusted: whether the file's facts hold even if they contradict traces.
  /// - Returns: whether the build has its functions now.
  private func attempt(
    _ identity: String, at path: String, for build: FleetBuild, isTrusted: Bool,
    read: () async throws(BuildReadError) -> BuildReader.Reading
  ) async -> Bool {
    do {
      let earlier = try await store.readFailure(ofFile: identity)
      if let earlier, !earlier.isDue(at: Clock.realtime()) {
        // Another build's attempt failed on this file. Record the failure for this build, too.
        if build.readFailure?.file != identity { try await store.note(earlier, of: build.key) }
        return false
      }
      let reading: BuildReader.Reading
      do throws(BuildReadError) { reading = try await read() } catch {
        if case .stopped(let reason) = error {
          let failure = ReadFailure(
            file: identity, reason: reason, attempts: (earlier?.attempts ?? 0) + 1,
            at: Clock.realtime())
          try await store.note(failure, of: build.key)
          report(failure, at: path, of: build)
        } else {
          logger.debug("file not used", metadata: ["file": "\(path)", "reason": "\(error)"])
        }
        return false
      }
      if let problem = reading.debugFileProblem { reportDebugFile(problem) }
      return try await register(
        reading.table, for: build, from: path, isTrusted: isTrusted)
    } catch {
      guard !Task.isCancelled else { return false }
      logger.warning("cannot store functions", metadata: ["file": "\(path)", "reason": "\(error)"])
      return false
    }
  }

  private func register(
    _ table: FunctionTable, for build: FleetBuild, from path: String, isTrusted: Bool
  ) async throws -> Bool {
    var table = table
    guard isTrusted || table.build.guardCount == build.guardCount else { return false }
    table.build.path = build.path
    try await store.register(table, isTrusted: isTrusted)
    monitor.count(.symbolized)
    logger.info(
      "functions named",
      metadata: [
        "build": "\(build.key.buildID)", "file": "\(path)",
        "functions": "\(table.build.functions.count)",
      ])
    return true
  }

  private func report(_ failure: ReadFailure, at path: String, of build: FleetBuild) {
    monitor.count(.readFailures)
    logger.warning(
      "file cannot be read",
      metadata: [
        "build": "\(build.key.buildID)", "file": "\(path)", "reason": "\(failure.reason)",
        "attempt": "\(failure.attempts) of \(ReadFailure.attemptLimit)",
      ])
  }

  /// Reports that a build got its names without its existing debug file.
  func reportDebugFile(_ problem: String) {
    monitor.count(.readFailures)
    logger.warning("debug file cannot be read", metadata: ["reason": "\(problem)"])
  }

  /// Places where a build's file may be. A path from a trace is untrusted; the debug directories belong to the
  /// administrator.
  private func candidates(for build: FleetBuild) -> [(path: String, isTrusted: Bool)] {
    var places = build.path.hasPrefix("/") ? [(path: build.path, isTrusted: false)] : []
    let digits = build.key.buildID.description
    if !build.key.buildID.isFileDigest, digits.count > 2 {
      let place = ".build-id/\(digits.prefix(2))/\(digits.dropFirst(2))"
      for directory in debugDirectories {
        places += [("\(directory)/\(place)", true), ("\(directory)/\(place).debug", true)]
      }
    }
    return places
  }
}
