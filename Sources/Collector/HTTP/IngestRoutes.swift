import BuildReader
import FirstlightModel
import FleetAPI
import FleetModel
import HTTPTypes
import Hummingbird
import Logging

/// What hosts and builds send.
struct IngestRoutes: Sendable {
  let store: any FleetStore
  let configuration: DaemonConfiguration
  let monitor: DaemonMonitor
  let symbolizer: Symbolizer
  let logger: Logger

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
    let name = query["name"]?.split(separator: "/").last.map(String.init) ?? "unnamed"
    let scratch = try ScratchFile(called: name)
    try await RequestBytes.save(
      request, to: scratch, limit: configuration.symbolLimit, seconds: 900)
    let table = try await functions(of: scratch.file(), name: name)
    guard !table.build.buildID.isFileDigest else {
      throw Failure(
        .data, "\(name): has no build id, so no trace can belong to it",
        advice: "link it with -Wl,--build-id")
    }
    try await store.register(table)
    monitor.count(.symbolized)
    return JSONAnswer.response(SymbolDocument(table))
  }

  /// What the file says, whoever sent it.
  private func functions(of file: BuildFile, name: String) async throws(Failure) -> FunctionTable {
    do throws(BuildReadError) {
      let reading = try await symbolizer.reader.read(file, name: name)
      if let problem = reading.debugFileProblem { symbolizer.reportDebugFile(problem) }
      return reading.table
    } catch {
      switch error {
      case .unfit(let failure), .unavailable(let failure): throw failure
      case .stopped(let reason):
        monitor.count(.readFailures)
        logger.warning(
          "sent file cannot be read", metadata: ["file": "\(name)", "reason": "\(reason)"])
        throw Failure(
          .data, "\(name): \(reason)",
          advice: "check that it is the binary itself, whole and undamaged")
      }
    }
  }
}
