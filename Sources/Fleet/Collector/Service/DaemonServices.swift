import BuildReader
import FirstlightModel
import FleetModel
import Glibc
import Logging
import SpoolIntake
import SystemSupport

/// The services of a daemon, by its configuration and its resources.
struct DaemonServices {
  let configuration: DaemonConfiguration
  let resources: DaemonResources
  let metrics: PrometheusMetrics
  let logger: Logger
  private let monitor = DaemonMonitor()

  init(
    configuration: DaemonConfiguration, resources: DaemonResources, metrics: PrometheusMetrics,
    logger: Logger
  ) {
    self.configuration = configuration
    self.resources = resources
    self.metrics = metrics
    self.logger = logger
  }

  /// - Parameter stop: ends the journal of the host's recordings.
  func all(_ stop: StopSignals) throws -> [EssentialService] {
    let symbolizer = symbolizer()
    let states = resources.store.map { store in
      StateIntake(store: store, stored: { symbolizer?.look(for: $0) })
    }
    let host = try host(states, stop)
    var services = host?.services ?? []
    if let symbolizer {
      services.insert(.init(name: "function naming", service: symbolizer), at: 0)
    }
    if let server = try server(states, symbolizer, host?.watcher) { services.append(server) }
    if let store = resources.store { services.append(housekeeping(store)) }
    services.append(
      .init(name: "systemd notification", service: SystemdService(monitor: monitor)))
    services.append(.init(name: "start-up announcement", service: announcement))
    return services
  }

  private func symbolizer() -> Symbolizer? {
    let reader = BuildReader(
      debugDirectories: configuration.debugDirectories, memoryLimit: configuration.symbolMemory)
    return resources.store.map {
      Symbolizer(
        store: $0, reader: reader, debugDirectories: configuration.debugDirectories,
        usesDebuginfod: configuration.usesDebuginfod, monitor: monitor, logger: logger)
    }
  }

  private func server(
    _ states: StateIntake?, _ symbolizer: Symbolizer?, _ watcher: SpoolWatcher?
  ) throws -> EssentialService? {
    guard let listen = configuration.listen, let socket = resources.socket,
      let admission = resources.admission
    else { return nil }
    let status = StatusReport(
      configuration: configuration, store: resources.store, ledger: resources.ledger,
      admission: admission, watcher: watcher, monitor: monitor)
    let server = APIServer(
      configuration: configuration, store: resources.store, states: states, status: status,
      symbolizer: symbolizer, metrics: metrics, monitor: monitor, logger: logger)
    return .init(name: "server on \(listen)", service: try server.service(on: socket))
  }

  private func housekeeping(_ store: any FleetStore) -> EssentialService {
    let retention = Retention(
      store: store, rules: configuration.retention, monitor: monitor, logger: logger)
    return .init(
      name: "housekeeping",
      service: Housekeeping(
        store: store, retention: retention, openDays: configuration.openDays, logger: logger))
  }

  private var announcement: Announcement {
    Announcement(
      logger: logger,
      facts: [
        "spool": "\(configuration.spool ?? "none")",
        "to": "\(configuration.upstream ?? resources.store?.name ?? "none")",
        "listen": "\(configuration.listen?.description ?? "none")",
      ])
  }

  // MARK: Recordings of this host

  /// Nil if there is no spool, or nothing to deliver to.
  private func host(
    _ states: StateIntake?, _ stop: StopSignals
  ) throws(Failure) -> (services: [EssentialService], watcher: SpoolWatcher)? {
    guard let spool = resources.spool, let ledger = resources.ledger, let sink = sink(states)
    else { return nil }
    let journal = try journal(of: spool)
    stop.end(journal)
    let intake = try SpoolIntake(
      spool: spool, ledger: ledger, options: configuration.intake, journal: journal)
    let watcher = try SpoolWatcher()
    monitor.watch { watcher.silence }
    let wake = WakeUp()
    let sender = LedgerSender(ledger: ledger, sink: sink, monitor: monitor, logger: logger)
    let service = IntakeService(
      intake: .init(intake: intake), watcher: watcher, socketPath: configuration.socket,
      listening: Systemd.listeningSocket(), wake: wake, monitor: monitor, logger: logger)
    return (
      [
        .init(name: "delivery", service: Forwarder(sender: sender, wake: wake)),
        .init(name: "spool intake", service: service),
      ], watcher
    )
  }

  private func sink(_ states: StateIntake?) -> (any FleetSink)? {
    guard let store = resources.store, let states else { return resources.upstream }
    return StoreSink(name: store.name, states: states)
  }

  private func journal(of spool: Spool) throws(Failure) -> WorkJournal {
    let journal = try WorkJournal(path: spool.intakeJournalPath)
    for stem in journal.postponed(at: Clock.realtime()) {
      logger.error(
        "recording postponed: firstlightd crashed while counting it",
        metadata: ["process": "\(stem)", "retry": "in an hour, and with another version"])
    }
    return journal
  }
}
