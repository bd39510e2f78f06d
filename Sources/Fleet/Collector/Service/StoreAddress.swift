import FirstlightModel
import FleetAPI
import FleetModel
import Glibc
import SQLiteFleetStore

/// Where a store is, as the command line says it.
package enum StoreAddress: Hashable, Sendable {
  case sqlite(path: String)
  case clickhouse(url: String)

  /// From `sqlite:PATH` or `clickhouse:URL`.
  /// - Throws: `.usage`.
  package init(_ text: String) throws(Failure) {
    if text.hasPrefix("sqlite:"), text.count > 7 {
      self = .sqlite(path: String(text.dropFirst(7)))
    } else if text.hasPrefix("clickhouse:"), text.count > 11 {
      self = .clickhouse(url: String(text.dropFirst(11)))
    } else {
      throw Failure(
        .usage, "\"\(text)\" is not a store", advice: "use sqlite:PATH or clickhouse:URL")
    }
  }

  /// Whether opening it makes a new file.
  var isToBeMade: Bool {
    switch self {
    case .sqlite(let path): access(path, F_OK) != 0
    case .clickhouse: false
    }
  }

  /// Opens it.
  /// - Parameter clickHouse: makes the store at an address; the program knows that module, not we.
  /// - Throws: `Failure` if that can't be.
  package func open(clickHouse: ClickHouseOpener) throws(Failure) -> any FleetStore {
    switch self {
    case .sqlite(let path): return try SQLiteFleetStore(path: path)
    case .clickhouse(let url): return try clickHouse(url)
    }
  }

  /// Makes a ClickHouse store from what follows `clickhouse:`.
  package typealias ClickHouseOpener = @Sendable (String) throws(Failure) -> any FleetStore
}

/// Why rows were not delivered.
enum DeliveryError: Error {
  /// Its receiver has seen this very batch, and will never take it.
  case refused(Failure)
  /// Any other reason: the rows wait. `retryAfter`: the seconds to wait that a receiver with too much to do
  /// asks for.
  case failed(Failure, retryAfter: Double? = nil)
}

/// Where a ledger sends its rows.
protocol FleetSink: Sendable {
  /// For messages.
  var name: String { get }
  /// Whether it is a store of this host. Such a store gets rows sooner, and with the paths of images.
  var isOfThisHost: Bool { get }

  /// Hands over rows and samples for good.
  /// - Parameter batch: as `StateBatch` encodes them.
  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt

  /// The versions that it has of rows; see `FleetStore.versions`.
  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [UInt64?]
}

/// A store of our own.
struct StoreSink: FleetSink {
  let name: String
  let isOfThisHost = true
  let states: StateIntake

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt {
    try await states.take(batch)
  }

  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [UInt64?] {
    try await states.versions(rows)
  }
}

/// Default places for the daemon's data.
enum StateDirectory {
  /// - Throws: as `made()`.
  static func defaultStore() throws(Failure) -> StoreAddress {
    .sqlite(path: try made() + "/fleet.sqlite")
  }

  /// systemd's STATE_DIRECTORY, else this user's, which is made.
  /// - Throws: `.usage` if there is no such place, `.cannotCreate` if it cannot be made.
  static func made() throws(Failure) -> String {
    if let state = StatePath.ofThisService { return state }
    guard let directory = StatePath.ofThisUser else {
      throw Failure(
        .usage, "no state directory", advice: "set HOME, or choose a store with --store")
    }
    var made = ""
    for part in directory.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        throw Failure(
          .cannotCreate, "\(made): cannot be created: \(ErrorText.of(errno))",
          advice: "choose a store with --store")
      }
    }
    return directory
  }
}
