import FirstlightModel
import FleetAPI
import FleetModel
import Glibc
import SQLiteFleetStore

/// The address of a store, as on the command line.
package enum StoreAddress: Hashable, Sendable {
  case sqlite(path: String)
  case clickhouse(url: String)

  /// Parses `sqlite:PATH` or `clickhouse:URL`.
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

  /// Whether opening the store creates a new file.
  var isToBeMade: Bool {
    switch self {
    case .sqlite(let path): access(path, F_OK) != 0
    case .clickhouse: false
    }
  }

  /// Opens the store.
  /// - Parameter clickHouse: opens a ClickHouse store. Only the program imports that module.
  /// - Throws: `Failure` if the store cannot be opened.
  package func open(clickHouse: ClickHouseOpener) throws(Failure) -> any FleetStore {
    switch self {
    case .sqlite(let path): return try SQLiteFleetStore(path: path)
    case .clickhouse(let url): return try clickHouse(url)
    }
  }

  /// Opens a ClickHouse store at the address after `clickhouse:`.
  package typealias ClickHouseOpener = @Sendable (String) throws(Failure) -> any FleetStore
}

/// Default places for the daemon's data.
enum StateDirectory {
  /// - Throws: as `made()`.
  static func defaultStore() throws(Failure) -> StoreAddress {
    .sqlite(path: try made() + "/fleet.sqlite")
  }

  /// systemd's STATE_DIRECTORY, or the user's state directory, which is created.
  /// - Throws: `.usage` if there is no such place, `.cannotCreate` if it cannot be created.
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
