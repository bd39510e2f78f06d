import BuildReader
import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import Logging
import Metrics
import ServiceLifecycle
import SpoolIntake
import SystemSupport

/// firstlightd: collects recordings of this host, or receives them from other hosts, and stores or forwards
/// them.
package struct Daemon: Sendable {
  private let configuration: DaemonConfiguration
  private let logger: Logger
  private let metrics = PrometheusMetrics()

  /// - Throws: `.usage` if the configuration contradicts itself.
  package init(_ configuration: DaemonConfiguration) throws(Failure) {
    try configuration.check()
    self.configuration = configuration
    LogSetup.bootstrap(level: configuration.logLevel, asJSON: configuration.logsJSON)
    MetricsSystem.bootstrap(metrics)
    logger = Logger(label: "firstlightd")
  }

  /// Runs until SIGTERM or SIGINT. Work in progress is finished, or kept for the next start.
  ///
  /// - Parameter cutOff: ends the process at once. Called if work does not end in time.
  package func run(cutOff: @escaping @Sendable () -> Void) async throws {
    let stop = await StopSignals(logger: logger, cutOff: cutOff)
    for note in configuration.notes { logger.warning("\(note)") }
    let monitor = DaemonMonitor()
    // Comes before files are opened or moved: a daemon that cannot listen should change nothing.
    let socket = try configuration.listen.map { address throws(Failure) in try address.listen() }
    let admission = try configuration.listen.map { _ throws(Failure) in
      try configuration.tls.check()
      return try Admission(configuration, logger: logger)
    }
    let upstream = try configuration.upstream.map { url throws(Failure) in
      try UpstreamSink(
        url: url, token: configuration.upstreamToken,
        transport: HTTPTransport(.init(tls: configuration.upstreamTLS)))
    }
    let spool = try configuration.spool.map { path throws(Failure) in
      try Spool(path: path, isForAll: configuration.isSpoolForAll)
    }
    var services: [EssentialService] = []
    let address = try storeAddress()
    // Comes last, so that a daemon that refuses to start leaves no empty file behind.
    let makesStore = address?.isToBeMade ?? false
    var store = makesStore ? nil : try await open(address)
    let ledger = try spool.map { spool throws(Failure) in try openLedger(of: spool) }
    if makesStore {
      store = try await open(address)
      logger.notice("new store", metadata: ["store": "\(store?.name ?? "")"])
    }
    let reader = BuildReader(
      debugDirectories: configuration.debugDirectories, memoryLimit: configuration.symbolMemory)
    let symbolizer = store.map {
      Symbolizer(
        store: $0, reader: reader, debugDirectories: configuration.debugDirectories,
        usesDebuginfod: configuration.usesDebuginfod, monitor: monitor, logger: logger)
    }
    let states = store.map { store in
      StateIntake(store: store, stored: { symbolizer?.look(for: $0) })
    }
    if let symbolizer {
      services.append(.init(name: "function naming", service: symbolizer))
    }
    var watcher: SpoolWatcher?
    if let spool, let ledger {
      let sink: (any FleetSink)? =
        if let store, let states { StoreSink(name: store.name, states: states) } else {
          upstream
        }
      if let sink {
        let journal = try openJournal(of: spool)
        stop.end(journal)
        let host = try hostServices(
          spool: spool, ledger: ledger, journal: journal, sink: sink, monitor: monitor)
        watcher = host.watcher
        services += host.services
      }
    }
    if let listen = configuration.listen, let socket, let admission {
      let status = StatusReport(
        configuration: configuration, store: store, ledger: ledger, admission: admission,
        watcher: watcher, monitor: monitor)
      let server = APIServer(
        configuration: configuration, store: store, states: states, status: status,
        symbolizer: symbolizer, metrics: metrics, monitor: monitor, logger: logger)
      services.append(
        .init(name: "server on \(listen)", service: try server.service(on: socket)))
    }
    if let store {
      let retention = Retention(
        store: store, rules: configuration.retention, monitor: monitor, logger: logger)
      services.append(
        .init(
          name: "housekeeping",
          service: Housekeeping(
            store: store, retention: retention, openDays: configuration.openDays, logger: logger)))
    }
    services.append(
      .init(name: "systemd notification", service: SystemdService(monitor: monitor)))
    services.append(
      .init(
        name: "start-up announcement",
        service: Announcement(
          logger: logger,
          facts: [
            "spool": "\(configuration.spool ?? "none")",
            "to": "\(configuration.upstream ?? store?.name ?? "none")",
            "listen": "\(configuration.listen?.description ?? "none")",
          ])))
    let group = ServiceGroup(
      configuration: .init(services: services.map(\.configured), logger: logger))
    stop.end(group)
    try await group.run()
    logger.info("stopped")
  }

  private func storeAddress() throws(Failure) -> StoreAddress? {
    if configuration.upstream != nil { return nil }
    if let store = configuration.store { return store }
    return try StateDirectory.defaultStore()
  }

  private func open(_ address: StoreAddress?) async throws -> (any FleetStore)? {
    let store = try address?.open(isArgument: configuration.isStoreOption)
    try await store?.prepare()
    return store
  }

  private func openLedger(of spool: Spool) throws(Failure) -> IntakeLedger {
    let (ledger, damaged) = try IntakeLedger.opened(at: spool.ledgerPath)
    if let damaged {
      logger.error(
        "ledger damaged and replaced by a new one: what it had not delivered is lost",
        metadata: ["aside": "\(damaged)"])
    }
    return ledger
  }

  private func openJournal(of spool: Spool) throws(Failure) -> WorkJournal {
    let journal = try WorkJournal(path: spool.intakeJournalPath)
    for stem in journal.postponed(at: Clock.realtime()) {
      logger.error(
        "recording postponed: firstlightd crashed while counting it",
        metadata: ["process": "\(stem)", "retry": "in an hour, and with another version"])
    }
    return journal
  }

  private func hostServices(
    spool: Spool, ledger: IntakeLedger, journal: WorkJournal, sink: any FleetSink,
    monitor: DaemonMonitor
  ) throws(Failure) -> (services: [EssentialService], watcher: SpoolWatcher) {
    let intake = try SpoolIntake(
      spool: spool, ledger: ledger, options: configuration.intake, journal: journal)
    let watcher = try SpoolWatcher()
    monitor.watch { watcher.silence }
    let wake = WakeUp()
    return (
      [
        .init(
          name: "delivery",
          service: Forwarder(
            sender: LedgerSender(ledger: ledger, sink: sink, monitor: monitor, logger: logger),
            wake: wake)),
        .init(
          name: "spool intake",
          service: IntakeService(
            intake: .init(intake: intake), watcher: watcher, socketPath: configuration.socket,
            listening: Systemd.listeningSocket(), wake: wake, monitor: monitor, logger: logger)),
      ], watcher
    )
  }
}
