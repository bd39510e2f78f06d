import BuildReader
import FirstlightModel
import FleetModel
import HTTPTypes
import Hummingbird
import Logging
import SystemSupport

/// Uploads from hosts and builds.
struct IngestRoutes: Sendable {
  let store: any FleetStore
  let states: StateIntake
  let configuration: DaemonConfiguration
  let budget: BodyBudget
  let monitor: DaemonMonitor
  let symbolizer: Symbolizer
  let logger: Logger

  private static let symbolsMediaType = "application/x-elf"

  /// Adds the routes of a role, `upload` or `symbols`.
  func add(_ role: TokenRole, to group: RouterGroup<APIContext>) {
    if role == .symbols {
      group.group("").add(middleware: MediaTypeMiddleware(expected: Self.symbolsMediaType))
        .post("symbols") { request, context in try await symbols(request, context) }
      return
    }
    group.group("").add(middleware: MediaTypeMiddleware(expected: StateBatch.mediaType))
      .post("states") { request, context in try await states(request, context) }
    group.group("").add(middleware: MediaTypeMiddleware(expected: StateVersions.mediaType))
      .post("versions") { request, context in try await versions(request, context) }
  }

  private func states(_ request: Request, _ context: APIContext) async throws -> Response {
    do {
      let receipt = try await body(of: request, context) { bytes, limit in
        try await states.take(bytes, inflatedLimit: limit)
      }
      return try answer(receipt)
    } catch let failure as Failure where failure == BodyBudget.noRoom {
      // Counted but not logged: too frequent under load, and not an error.
      monitor.count(.postponed)
      return Problem.response(
        .tooManyRequests, detail: failure.problem, advice: failure.advice)
    } catch let error as DeliveryError {
      switch error {
      case .refused(let failure):
        return refusal(.unprocessableContent, request, detail: failure.problem)
      case .failed(let failure, _):
        // A failed store says nothing about the batch, which its sender keeps.
        monitor.storeFailed(failure)
        throw Failure(.unavailable, failure.problem, advice: failure.advice)
      }
    } catch let error as HTTPError
      where [.contentTooLarge, .unsupportedMediaType].contains(error.status)
    {
      return refusal(error.status, request, detail: error.body)
    }
  }

  /// The answer to a batch that will never be accepted. It repeats the sender's name of the batch, so that the
  /// sender recognizes the answer as the receiver's.
  private func refusal(
    _ status: HTTPResponse.Status, _ request: Request, detail: String?
  ) -> Response {
    let name = HTTPField.Name(StateBatch.nameHeader).flatMap { request.headers[$0] }
    return Problem.response(status, detail: detail, batch: name.map { String($0.prefix(64)) })
  }

  /// The versions of a host's rows in the store. The host sends missing rows again.
  private func versions(_ request: Request, _ context: APIContext) async throws -> Response {
    try await body(of: request, context) { bytes, limit in
      let asked = try StateVersions(decoding: Deflate.plain(bytes, inflatedLimit: limit))
      return try JSONAnswer.response(VersionsDocument(try await states.versions(asked)))
    }
  }

  /// Reads the body of a request, within the memory budget for all bodies.
  /// - Parameter use: called with the bytes and the inflated limit; nil: the bytes are not deflated.
  private func body<Value>(
    of request: Request, _ context: APIContext,
    _ use: (_ bytes: [UInt8], _ inflatedLimit: Int?) async throws -> Value
  ) async throws -> Value {
    let limit: Int?
    switch request.headers[.contentEncoding] {
    case nil, "identity": limit = nil
    case "deflate": limit = configuration.inflatedLimit
    default: throw HTTPError(.unsupportedMediaType)
    }
    let channel = context.channel
    let share = try budget.begin(
      from: Peer(channel.remoteAddress),
      length: RequestBytes.length(request).map { min($0, configuration.bodyLimit) },
      cutOff: { channel.close(promise: nil) })
    defer { budget.end(share) }
    let bytes = try await RequestBytes.collect(
      request, context, limit: configuration.bodyLimit, seconds: 120, in: budget, share)
    return try await use(bytes, limit)
  }

  private func answer(_ receipt: StateReceipt) throws -> Response {
    monitor.storeWorks()
    monitor.count(.received, receipt.added)
    monitor.count(.duplicates, receipt.known)
    let refused = receipt.places(.refused, .late).count
    let (crowded, early) = (receipt.places(.crowded).count, receipt.places(.early).count)
    let foreign = receipt.places(.foreign).count
    monitor.count(.refused, refused)
    monitor.count(.crowded, crowded)
    if crowded > 0 {
      logger.warning(
        "rows not taken: too many sets of labels of a build and day, or numbers of its functions",
        metadata: [
          "rows": "\(crowded)", "labels": "at most \(SeriesRoom.limit)",
          "numbers": "at most \(TraceLimits.claims)",
        ])
    }
    logger.info(
      "received",
      metadata: [
        "rows": "\(receipt.added)", "known": "\(receipt.known)",
        "refused": "\(refused)", "samples": "\(receipt.samples)",
      ])
    if early > 0 {
      logger.warning(
        "a host's clock is ahead of this one: its sums count without a date, on 1970-01-01",
        metadata: ["rows": "\(early)", "today": "\(FleetDay(of: Clock.realtime()))"])
    }
    if foreign > 0 {
      logger.warning(
        "two copies of one ledger are in use: this one is told to count under a new name",
        metadata: ["rows": "\(foreign)"])
    }
    return try JSONAnswer.response(receipt)
  }

  private func symbols(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = try QueryPairs(request, keys: ["name"])
    let name = query["name"]?.split(at: "/").last.map(String.init) ?? "unnamed"
    let scratch = try ScratchFile(called: name)
    try await RequestBytes.save(
      request, context, to: scratch, limit: configuration.symbolLimit, seconds: 900)
    let reading = try await functions(of: scratch.file(), name: name)
    let table = reading.table
    guard !table.build.buildID.isFileDigest else {
      throw Failure(
        .data, "\(name): has no build id, so it matches no trace",
        advice: "link it with -Wl,--build-id")
    }
    // Without a token file, only the daemon's own user may send.
    let isAdministrator = context.token.map { $0.role == .admin } ?? true
    var facts: Logger.Metadata = [
      "build": "\(table.build.buildID)", "file": "\(name)", "by": "\(context.author)",
      "functions": "\(table.build.guarded.count)", "proven": "\(table.hasProvenID)",
    ]
    do {
      let proof: TableProof =
        isAdministrator ? .chosen : table.hasProvenID ? .recomputed : .sent
      var tables = [table, reading.counted].compactMap(\.self)
      // Breakpoints and probes number the functions of a build with guards on their own.
      let watched = BuildKey(buildID: table.build.buildID, recorder: .breakpoints)
      if table.key != watched,
        try await !store.unnamed(among: [watched], after: nil, limit: 1).isEmpty
      {
        tables.append(try await functions(of: scratch.file(), name: name, watched: true).table)
      }
      for table in tables {
        if let replaced = try await store.register(table, proof: proof) {
          facts["reason"] = "\(replaced)"
          logger.warning("functions replaced", metadata: facts)
        }
      }
    } catch let failure as Failure where failure.kind == .data {
      facts["reason"] = "\(failure.problem)"
      logger.warning("symbols refused", metadata: facts)
      throw failure
    }
    monitor.count(.symbolized)
    logger.info("symbols received", metadata: facts)
    return try JSONAnswer.response(SymbolDocument(table))
  }

  /// The file's functions, read the same way for every sender.
  private func functions(
    of file: BuildFile, name: String, watched: Bool = false
  ) async throws(Failure) -> BuildReader.Reading {
    do throws(BuildReadError) {
      let reading = try await symbolizer.reader.read(file, name: name, watched: watched)
      if let problem = reading.debugFileProblem { symbolizer.reportDebugFile(problem) }
      return reading
    } catch {
      switch error {
      case .unfit(let failure), .unavailable(let failure): throw failure
      case .stopped(let reason):
        monitor.count(.readFailures)
        logger.warning(
          "uploaded file cannot be read", metadata: ["file": "\(name)", "reason": "\(reason)"])
        throw Failure(
          .data, "\(name): \(reason)",
          advice: "send the complete, undamaged binary")
      }
    }
  }
}

extension Deflate {
  /// The body of a request, inflated if necessary.
  /// - Parameter limit: the largest inflated size in bytes; nil: the body is not deflated.
  static func plain(_ body: [UInt8], inflatedLimit limit: Int?) throws(Failure) -> [UInt8] {
    guard let limit else { return body }
    return try inflate(body, limit: limit)
  }
}
