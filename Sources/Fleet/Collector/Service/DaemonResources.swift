import FirstlightModel
import FleetModel
import HTTPTransport
import Logging
import SpoolIntake

/// What a daemon listens on, reads and writes, opened in an order in which one that refuses to start changes
/// nothing.
struct DaemonResources {
  let socket: CInt?
  let admission: Admission?
  let upstream: UpstreamSink?
  let spool: Spool?
  let ledger: IntakeLedger?
  let store: (any FleetStore)?

  init(_ configuration: DaemonConfiguration, _ logger: Logger) async throws {
    // Comes before files are opened or moved: a daemon that cannot listen should change nothing.
    socket = try configuration.listen.map { address throws(Failure) in try address.listen() }
    admission = try configuration.listen.map { _ throws(Failure) in
      try configuration.tls.check()
      return try Admission(configuration, logger: logger)
    }
    upstream = try configuration.upstream.map { url throws(Failure) in
      try UpstreamSink(
        url: url, token: configuration.upstreamToken,
        transport: HTTPTransport(.init(tls: configuration.upstreamTLS)))
    }
    let spool = try configuration.spool.map { path throws(Failure) in
      try Spool(path: path, isForAll: configuration.isSpoolForAll)
    }
    let address = try Self.storeAddress(configuration)
    // Comes last, so that a daemon that refuses to start leaves no empty file behind.
    let makesStore = address?.isToBeMade ?? false
    let known = makesStore ? nil : try await Self.open(address, configuration)
    ledger = try spool.map { spool throws(Failure) in try Self.ledger(of: spool, logger) }
    let made = makesStore ? try await Self.open(address, configuration) : nil
    if makesStore { logger.notice("new store", metadata: ["store": "\(made?.name ?? "")"]) }
    store = known ?? made
    self.spool = spool
  }

  private static func storeAddress(
    _ configuration: DaemonConfiguration
  ) throws(Failure) -> StoreAddress? {
    if configuration.upstream != nil { return nil }
    if let store = configuration.store { return store }
    return try StateDirectory.defaultStore()
  }

  private static func open(
    _ address: StoreAddress?, _ configuration: DaemonConfiguration
  ) async throws -> (any FleetStore)? {
    let store = try address?.open(isArgument: configuration.isStoreOption)
    try await store?.prepare()
    return store
  }

  private static func ledger(of spool: Spool, _ logger: Logger) throws(Failure) -> IntakeLedger {
    let (ledger, damaged) = try IntakeLedger.opened(at: spool.ledgerPath)
    if let damaged {
      logger.error(
        "ledger damaged and replaced by a new one: what it had not delivered is lost",
        metadata: ["aside": "\(damaged)"])
    }
    return ledger
  }
}
