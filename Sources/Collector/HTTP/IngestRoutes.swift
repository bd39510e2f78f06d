import DebugInfo
import FirstlightModel
import FleetAPI
import FleetModel
import Foundation
import HTTPTypes
import Hummingbird

/// What hosts and builds send.
struct IngestRoutes: Sendable {
  let store: any FleetStore
  let configuration: DaemonConfiguration
  let monitor: DaemonMonitor
  let symbolizer: Symbolizer

  func add(to group: RouterGroup<APIContext>) {
    group.post("traces") { request, _ in try await traces(request) }
    group.post("symbols") { request, _ in try await symbols(request) }
  }

  private func traces(_ request: Request) async throws -> Response {
    if let type = request.headers[.contentType], type != FleetBatch.mediaType {
      throw HTTPError(.unsupportedMediaType)
    }
    var bytes = try await RequestBytes.collect(
      request, limit: configuration.bodyLimit, seconds: 120)
    switch request.headers[.contentEncoding] {
    case nil, "identity": break
    case "deflate": bytes = try Deflate.inflate(bytes, limit: configuration.inflatedLimit)
    default: throw HTTPError(.unsupportedMediaType)
    }
    let traces = try StoreSink.decode(bytes)
    let receipt = try await store.ingest(traces, on: FleetDay(of: WallClock.now()))
    monitor.count(.received, receipt.added)
    monitor.count(.duplicates, receipt.known)
    monitor.count(.refused, receipt.refused.count)
    symbolizer.lookSoon()
    return JSONAnswer.response(ReceiptDocument(receipt))
  }

  private func symbols(_ request: Request) async throws -> Response {
    let query = try QueryPairs(request, keys: ["name"])
    let name = query["name"]?.split(separator: "/").last.map(String.init) ?? ""
    let path = FileManager.default.temporaryDirectory.path + "/firstlightd-\(UUID().uuidString)"
    defer { unlink(path) }
    try await RequestBytes.save(
      request, to: path, limit: configuration.symbolLimit, seconds: 900)
    let table: FunctionTable
    do throws(Failure) {
      let image = try DebugImage(path: path, debugDirectories: configuration.debugDirectories)
      table = try FunctionTable(of: image, recordedPath: name.isEmpty ? "unnamed" : name)
    } catch {
      throw Failure(
        .data, error.problem.replacingOccurrences(of: path, with: name.isEmpty ? "file" : name),
        advice: error.advice)
    }
    guard !table.build.buildID.isFileDigest else {
      throw Failure(
        .data, "\(name): has no build id, so no trace can belong to it",
        advice: "link it with -Wl,--build-id")
    }
    try await store.register(table)
    monitor.count(.symbolized)
    return JSONAnswer.response(SymbolDocument(table))
  }
}
