import ClickHouseStore
import FleetModel
import Foundation
import HTTPTransport
import SQLiteFleetStore
import TestSupport
import Testing

/// The stores that the tests of this target run against; a new one adds a case.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite
  /// What FIRSTLIGHT_TEST_CLICKHOUSE names: servers without a database. See Scripts/test-fleet.
  case clickhouse

  /// Those that can be had here.
  static var available: [StoreKind] { allCases.filter { $0 != .clickhouse || clickHouse != nil } }

  static var clickHouse: String? {
    ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_CLICKHOUSE"].flatMap {
      $0.isEmpty ? nil : $0
    }
  }

  var testDescription: String { rawValue }

  /// An empty store, ready for use.
  func make() async throws -> any FleetStore {
    switch self {
    case .sqlite:
      let file = try TemporaryDirectory.untilTheEnd().appending(path: "fleet.sqlite")
      let store = try SQLiteFleetStore(path: file.path)
      try await store.prepare()
      return store
    case .clickhouse:
      let store = try ClickHouseFleetStore(Self.clickHouseAddress(), transport: Self.transport)
      try await store.prepare()
      return store
    }
  }

  /// A database of its own on the servers that tests may use.
  static func clickHouseAddress() throws -> ClickHouseAddress {
    var address = try ClickHouseAddress(try #require(clickHouse))
    address.database = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
    return address
  }

  /// One for all tests.
  static let transport: HTTPTransport = {
    do {
      return try HTTPTransport(.init(connectTimeout: 1))
    } catch {
      fatalError("\(error)")
    }
  }()
}
