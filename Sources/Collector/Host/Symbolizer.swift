import DebugInfo
import FirstlightModel
import FleetModel
import Logging

/// Gives builds their function tables, once each, from files that this machine has.
struct Symbolizer: Sendable {
  let store: any FleetStore
  let debugDirectories: [String]
  let monitor: DaemonMonitor
  let logger: Logger

  /// Looks for the files of all builds that have no functions yet: where they ran, and below
  /// `.build-id/` of the debug directories.
  func nameBuilds() async {
    var page = Page(limit: 200)
    do {
      while true {
        let builds = try await store.builds(BuildFilter(), page: page)
        for build in builds where !build.hasFunctions && build.key.recorder == .guards {
          await name(build)
        }
        guard let last = builds.last, builds.count == page.limit else { return }
        page.after = PagePosition(program: last.program, build: last.key)
      }
    } catch {
      logger.warning("cannot name functions", metadata: ["reason": "\(error)"])
    }
  }

  private func name(_ build: FleetBuild) async {
    for path in candidates(for: build) {
      guard let image = try? DebugImage(path: path, debugDirectories: debugDirectories),
        image.buildID == build.key.buildID, image.guardCount == build.guardCount,
        let table = try? FunctionTable(of: image, recordedPath: build.path)
      else { continue }
      do {
        try await store.register(table)
        monitor.count(.symbolized)
        logger.info(
          "functions named",
          metadata: [
            "build": "\(build.key.buildID)", "file": "\(path)",
            "functions": "\(table.build.functions.count)",
          ])
        return
      } catch {
        logger.warning(
          "cannot keep functions", metadata: ["file": "\(path)", "reason": "\(error)"])
      }
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
