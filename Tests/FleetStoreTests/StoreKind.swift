import FleetModel
import Foundation
import ProfileStore
import Testing

/// The stores that the tests of this target run against; a new one adds a case.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite

  /// Those that can be had here.
  static var available: [StoreKind] { allCases }

  var testDescription: String { rawValue }

  /// An empty store, ready for use.
  func make() async throws -> any FleetStore {
    switch self {
    case .sqlite:
      let directory = FileManager.default.temporaryDirectory
        .appending(path: "firstlight-store-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let store = try SQLiteFleetStore(path: directory.appending(path: "fleet.sqlite").path)
      try await store.prepare()
      // Open files keep their contents.
      return store
    }
  }
}
