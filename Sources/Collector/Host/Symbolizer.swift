import DebugInfo
import FirstlightModel
import FleetModel
import Foundation
import Glibc
import HTTPTransport
import Logging
import ServiceLifecycle
import Synchronization

/// Gives builds their function tables, once each: from where they ran, from `.build-id/` below the debug
/// directories, and, if that is wanted, from debuginfod servers (debuginfod(8), the web interface).
final class Symbolizer: Service {
  let store: any FleetStore
  let debugDirectories: [String]
  let monitor: DaemonMonitor
  private let logger: Logger
  /// Nil: debuginfod is not asked.
  private let transport: HTTPTransport?
  private let wake = WakeUp()
  /// When each build was last looked for, seconds since 1970.
  private let tried = Mutex<[BuildKey: Double]>([:])

  init(
    store: any FleetStore, debugDirectories: [String], transport: HTTPTransport?,
    monitor: DaemonMonitor, logger: Logger
  ) {
    self.store = store
    self.debugDirectories = debugDirectories
    self.transport = transport
    self.monitor = monitor
    self.logger = logger
  }

  /// Says that there may be new builds.
  func lookSoon() { wake.wake() }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.nameBuilds()
        // Deliveries come in bursts, builds hardly ever.
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
        for build in builds where build.wantsFunctions && isDue(build) { await name(build) }
        guard let last = builds.last, builds.count == page.limit else { return }
        page.after = PagePosition(program: last.program, build: last.key)
      }
    } catch {
      logger.warning("cannot name functions", metadata: ["reason": "\(error)"])
    }
  }

  /// What was not found is looked for again after ten minutes; what is there and might be better, once.
  private func isDue(_ build: FleetBuild) -> Bool {
    let now = WallClock.now()
    return build.key.recorder == .guards
      && tried.withLock { tried in
        if let last = tried[build.key], build.hasFunctions || now - last < 599 && now >= last {
          return false
        }
        tried[build.key] = now
        return true
      }
  }

  private func name(_ build: FleetBuild) async {
    for path in candidates(for: build) {
      if await register(build, from: path, debugDirectories: debugDirectories) { return }
    }
    guard let transport, !build.key.buildID.isFileDigest else { return }
    let id = build.key.buildID.description
    let directory =
      FileManager.default.temporaryDirectory.path + "/firstlightd-\(UUID().uuidString)"
    let debug = "\(directory)/.build-id/\(id.prefix(2))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    guard
      (try? FileManager.default.createDirectory(atPath: debug, withIntermediateDirectories: true))
        != nil
    else { return }
    for server in Self.servers {
      let file = directory + "/image"
      guard await fetch("\(server)/buildid/\(id)/executable", to: file, transport) else { continue }
      _ = await fetch(
        "\(server)/buildid/\(id)/debuginfo", to: "\(debug)/\(id.dropFirst(2)).debug", transport)
      if await register(build, from: file, debugDirectories: [directory] + debugDirectories) {
        return
      }
    }
  }

  /// As debuginfod's own clients find them.
  private static var servers: [String] {
    (getenv("DEBUGINFOD_URLS").map { String(cString: $0) } ?? "").split(separator: " ").map { url in
      url.hasSuffix("/") ? String(url.dropLast()) : String(url)
    }
  }

  private func fetch(_ url: String, to path: String, _ transport: HTTPTransport) async -> Bool {
    do {
      let answer = try await transport.send(
        HTTPRequest("GET", url, timeout: 120, answerLimit: 2 << 30))
      guard answer.status == 200 else { return false }
      try Data(answer.body).write(to: URL(fileURLWithPath: path))
      return true
    } catch {
      logger.warning("debuginfod does not answer", metadata: ["reason": "\(error)"])
      return false
    }
  }

  private func register(
    _ build: FleetBuild, from path: String, debugDirectories: [String]
  ) async -> Bool {
    guard let image = try? DebugImage(path: path, debugDirectories: debugDirectories),
      image.buildID == build.key.buildID, image.guardCount == build.guardCount,
      let table = try? FunctionTable(of: image, recordedPath: build.path)
    else { return false }
    do {
      try await store.register(table)
      monitor.count(.symbolized)
      logger.info(
        "functions named",
        metadata: [
          "build": "\(build.key.buildID)", "file": "\(path)",
          "functions": "\(table.build.functions.count)",
        ])
      return true
    } catch {
      logger.warning("cannot keep functions", metadata: ["file": "\(path)", "reason": "\(error)"])
      return false
    }
  }

  private func candidates(for build: FleetBuild) -> [String] {
    var paths = build.path.hasPrefix("/") ? [build.path] : []
    let digits = build.key.buildID.description
    if !build.key.buildID.isFileDigest, digits.count > 2 {
      let place = ".build-id/\(digits.prefix(2))/\(digits.dropFirst(2))"
      for directory in debugDirectories {
        paths += ["\(directory)/\(place)", "\(directory)/\(place).debug"]
      }
    }
    return paths
  }
}
