import FirstlightModel
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
