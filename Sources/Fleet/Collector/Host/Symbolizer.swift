import BuildReader
import DebugInfo
import FirstlightModel
import FleetModel
import Foundation
import Glibc
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
  private let usesDebuginfod: Bool
  private let wake = WakeUp()
  private let state = Mutex(State())

  private struct State {
    /// The earliest time of the next search for each build, in seconds of the monotonic clock.
    var due: [BuildKey: Double] = [:]
    /// Builds of rows that were stored since the last search.
    var reported: Set<BuildKey> = []
  }

  init(
    store: any FleetStore, reader: BuildReader, debugDirectories: [String],
    usesDebuginfod: Bool, monitor: DaemonMonitor, logger: Logger
  ) {
    self.store = store
    self.reader = reader
    self.debugDirectories = debugDirectories
    self.usesDebuginfod = usesDebuginfod
    self.monitor = monitor
    self.logger = logger
  }

  /// Announces builds of which rows were stored. Only those that are new, or were not searched for lately, are looked up
  /// in the store: most deliveries report builds that are known.
  /// - Returns: whether any is.
  @discardableResult
  func look(for builds: Set<BuildKey>) -> Bool {
    let now = Clock.monotonic()
    let isNew = state.withLock { state in
      let new = builds.filter { state.due[$0].map { $0 <= now } ?? true }
      state.reported.formUnion(new)
      return !new.isEmpty
    }
    if isNew { wake.wake() }
    return isNew
  }

  func run() async throws { await cancelWhenGracefulShutdown { await self.nameAll() } }

  private func nameAll() async {
    var backoff = Backoff(limit: Self.searching)
    // Now and then all builds without names: their files may have come, or other daemons may have stored rows.
    var nextSearch = Clock.monotonic()
    while !Task.isCancelled {
      var wanted: Set<BuildKey>? = state.withLock { state in
        defer { state.reported = [] }
        return state.reported
      }
      let now = Clock.monotonic()
      if now >= nextSearch {
        wanted = nil
        nextSearch = now + Self.searching
        state.withLock { state in state.due = state.due.filter { $0.value > now } }
      }
      let isAvailable =
        if wanted?.isEmpty == true { true } else {
          await nameBuilds(among: wanted, retryAfter: backoff.current)
        }
      if isAvailable {
        backoff.succeeded()
      } else {
        nextSearch = Clock.monotonic() + backoff.next()
      }
      // Deliveries come in bursts; new builds are rare.
      try? await Task.sleep(for: .milliseconds(500))
      await wake.wait(seconds: max(0, nextSearch - Clock.monotonic()))
    }
  }

  /// Seconds between searches for a missing file.
  private static let searching = 600.0

  /// Names the builds that are due.
  ///
  /// - Parameters:
  ///   - wanted: nil: all builds without names.
  ///   - pause: seconds until the next try for a build that an unavailable store did not take.
  /// - Returns: whether the store was available throughout.
  func nameBuilds(
    among wanted: Set<BuildKey>?, retryAfter pause: Double
  ) async -> Bool {
    let limit = 200
    var after: BuildKey?
    var isAvailable = true
    do {
      while true {
        let builds = try await store.unnamed(among: wanted, after: after, limit: limit)
        for build in builds where isDue(build.key) {
          if Task.isCancelled { return true }
          do { try await name(build) } catch {
            guard !Task.isCancelled else { return true }
            // The next build may still be stored.
            logger.warning(
              "cannot store functions",
              metadata: ["build": "\(build.key.buildID)", "reason": "\(error)"])
            guard (error as? Failure)?.kind == .unavailable else { continue }
            isAvailable = false
            state.withLock { $0.due[build.key] = Clock.monotonic() + pause / 2 }
          }
        }
        guard let last = builds.last, builds.count == limit else { break }
        after = last.key
      }
      // Those with names need no look at the next delivery.
      for build in wanted ?? [] { _ = isDue(build) }
      return isAvailable
    } catch {
      if let wanted { state.withLock { $0.reported.formUnion(wanted) } }
      // An error at shutdown is no failure.
      guard !Task.isCancelled else { return true }
      logger.warning("cannot name functions", metadata: ["reason": "\(error)"])
      return false
    }
  }

  /// A missing file is searched for again after ten minutes.
  private func isDue(_ build: BuildKey) -> Bool {
    let now = Clock.monotonic()
    return state.withLock { state in
      if let next = state.due[build], now < next { return false }
      state.due[build] = now + Self.searching - 1
      return true
    }
  }

  /// Searches for a build's file in all places. Throws the store's failures.
  private func name(_ build: UnnamedBuild) async throws {
    for place in candidates(for: build) {
      // A file that cannot be opened counts as missing.
      guard let file = try? BuildFile(path: place.path, trusted: place.isTrusted) else { continue }
      if try await attempt(
        file.identity, at: place.path, for: build, isTrusted: place.isTrusted,
        read: {
          () async throws(BuildReadError) in
          try await self.reader.read(
            file, name: build.names.first, expecting: build.key.buildID,
            looksBeside: !place.isTrusted, watched: build.key.recorder == .breakpoints)
        })
      {
        return
      }
    }
    guard usesDebuginfod, !build.key.buildID.isFileDigest else { return }
    try await attempt(
      "debuginfod:\(build.key.buildID)", at: "debuginfod", for: build, isTrusted: false,
      read: {
        () async throws(BuildReadError) in
        guard let file = await self.fetch(.executable, of: build) else {
          throw .unfit(Failure(.noInput, "debuginfod: no executable"))
        }
        let debugFile = await self.fetch(.debuginfo, of: build)
        return try await self.reader.read(
          file, name: build.names.first, expecting: build.key.buildID, debugFile: debugFile,
          watched: build.key.recorder == .breakpoints)
      })
  }

  /// A file from a server, without a name; nil if no server has it.
  private func fetch(_ artifact: Debuginfod.Artifact, of build: UnnamedBuild) async -> BuildFile? {
    let id = build.key.buildID
    let found = await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(
          returning: Result { () throws(Failure) in try Debuginfod.find(artifact, of: id) })
      }
      thread.name = "debuginfod"
      thread.start()
    }
    do throws(Failure) {
      guard let (descriptor, path) = try found.get() else { return nil }
      unlink(path)
      return try BuildFile(adopting: descriptor, path: path)
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
  /// - Throws: the store's failures.
  @discardableResult
  private func attempt(
    _ identity: String, at path: String, for build: UnnamedBuild, isTrusted: Bool,
    read: () async throws(BuildReadError) -> BuildReader.Reading
  ) async throws -> Bool {
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
    // Breakpoints may have recorded a binary with guards: then its functions have other numbers.
    let tables = [reading.table, reading.counted].compactMap(\.self)
    guard let table = tables.first(where: { $0.build.recorder == build.key.recorder }) else {
      return false
    }
    return try await register(table, for: build, from: path, isTrusted: isTrusted)
  }

  private func register(
    _ table: FunctionTable, for build: UnnamedBuild, from path: String, isTrusted: Bool
  ) async throws -> Bool {
    var table = table
    // Breakpoints number the functions of a binary and its debug file: without that file, they are others.
    let isTruth = isTrusted && build.key.recorder != .breakpoints
    guard isTruth || table.build.guardCount == build.guardCount else { return false }
    table.build.path = build.names.paths.first ?? build.names.first
    let proof: TableProof = isTrusted ? .chosen : table.hasProvenID ? .recomputed : .found
    if let replaced = try await store.register(table, proof: proof) {
      logger.warning(
        "functions replaced",
        metadata: ["build": "\(build.key.buildID)", "file": "\(path)", "reason": "\(replaced)"])
    }
    monitor.count(.symbolized)
    logger.info(
      "functions named",
      metadata: [
        "build": "\(build.key.buildID)", "file": "\(path)",
        "functions": "\(table.build.guarded.count)",
      ])
    return true
  }

  private func report(_ failure: ReadFailure, at path: String, of build: UnnamedBuild) {
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
  private func candidates(for build: UnnamedBuild) -> [(path: String, isTrusted: Bool)] {
    var places = build.names.paths.filter { $0.begins(with: "/") }.map {
      (path: $0, isTrusted: false)
    }
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
