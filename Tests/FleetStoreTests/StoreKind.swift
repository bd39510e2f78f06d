import FleetModel
import SQLiteFleetStore
import TestSupport
import Testing

/// The stores that the tests of this target run against; a new one adds a case.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite
  /// What FIRSTLIGHT_TEST_CLICKHOUSE names: servers without a database. See Scripts/test-fleet.
  case clickhouse

  /// Those that can be had here.
  static var available: [StoreKind] {
    allCases.filter { $0 != .clickhouse || ClickHouseServers.named != nil }
  }

  var testDescription: String { rawValue }

  /// An empty store, ready for use.
  func make() async throws -> any FleetStore { try await make(1)[0] }

  /// The same store, opened several times, as by daemons that share it.
  func make(_ count: Int) async throws -> [any FleetStore] {
    let open: () throws -> any FleetStore
    switch self {
    case .sqlite:
      let file = try TemporaryDirectory.untilTheEnd().appending(path: "fleet.sqlite")
      open = { try SQLiteFleetStore(path: file.path) }
    case .clickhouse:
      let address = try ClickHouseServers.address()
      open = { ClickHouseServers.store(address) }
    }
    var stores: [any FleetStore] = []
    for _ in 0..<count {
      let store = try open()
      try await store.prepare()
      stores.append(store)
    }
    return stores
  }
}
