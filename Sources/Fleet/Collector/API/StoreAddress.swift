import ClickHouseStore
import FirstlightModel
import FleetModel
import Glibc
import HTTPTransport
import SQLiteFleetStore

/// The address of a store, as on the command line.
package enum StoreAddress: Hashable, Sendable {
  case sqlite(path: String)
  case clickhouse(url: String)

  /// Parses `sqlite:PATH` or `clickhouse:URL`.
  /// - Throws: `.usage`.
  init(_ text: String) throws(Failure) {
    if text.begins(with: "sqlite:"), text.count > 7 {
      self = .sqlite(path: String(text.dropFirst(7)))
    } else if text.begins(with: "clickhouse:"), text.count > 11 {
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
  /// - Parameters:
  ///   - isReadOnly: whether never to write to a SQLite file.
  ///   - isArgument: whether the address is a command-line argument.
  ///   - authorities: path of certificates (PEM) to trust instead of the system's.
  /// - Throws: `Failure` if the store cannot be opened.
  package func open(
    isReadOnly: Bool = false, isArgument: Bool, authorities: String? = nil
  ) throws(Failure) -> any FleetStore {
    switch self {
    case .sqlite(let path): return try SQLiteFleetStore(path: path, isReadOnly: isReadOnly)
    case .clickhouse(let url):
      return ClickHouseFleetStore(
        try ClickHouseAddress(url, isArgument: isArgument),
        transport: try HTTPTransport(.init(tls: .init(authorities: authorities))))
    }
  }
}
