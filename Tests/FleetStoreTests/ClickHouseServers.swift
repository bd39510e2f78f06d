import ClickHouseStore
import FirstlightModel
import Foundation
import HTTPTransport
import Testing

/// The ClickHouse servers that tests may use.
enum ClickHouseServers {
  /// What FIRSTLIGHT_TEST_CLICKHOUSE names: servers without a database. See Scripts/test-fleet.
  static var named: String? { variable("FIRSTLIGHT_TEST_CLICKHOUSE") }

  /// The directory of a cluster of Scripts/clickhouse-cluster that tests may break.
  static var cluster: String? { variable("FIRSTLIGHT_TEST_CLICKHOUSE_CLUSTER") }
  static var replicas: String? { variable("FIRSTLIGHT_TEST_REPLICAS") }

  static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A database of its own.
  static func address() throws -> ClickHouseAddress {
    var address = try ClickHouseAddress(try #require(named))
    address.database = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
    return address
  }

  /// One for all tests.
  static let transport: HTTPTransport = {
    do {
      return try HTTPTransport(.init(connectTimeout: 30))
    } catch {
      fatalError("\(error)")
    }
  }()

  /// - Parameters:
  ///   - closingDelay: seconds after which closed days are added up.
  ///   - droppingDelay: seconds after which the rows of such days are deleted.
  static func store(
    _ address: ClickHouseAddress, closingDelay: Int = 0, droppingDelay: Int = 600
  ) -> ClickHouseFleetStore {
    var tuning = ClickHouseTuning()
    (tuning.closingDelay, tuning.droppingDelay) = (closingDelay, droppingDelay)
    return ClickHouseFleetStore(address, tuning: tuning) { request throws(Failure) in
      try await transport.send(request)
    }
  }

  /// Asks a server behind a store's back.
  @discardableResult
  static func run(
    _ sql: String, on server: String, _ address: ClickHouseAddress
  ) async throws -> String {
    let answer = try await transport.send(
      .init(
        "POST", "http://\(server)/?insert_distributed_sync=1&database=\(address.database)",
        body: Array(sql.utf8)))
    try #require(answer.status == 200, "\(sql): \(answer.text)")
    return answer.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs Scripts/clickhouse-cluster.
  static func control(_ cluster: String?, _ arguments: String...) async throws {
    let process = Process()
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    process.executableURL = root.appending(path: "Scripts/clickhouse-cluster")
    process.arguments = [try #require(cluster)] + arguments
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do { try process.run() } catch { done.resume(throwing: error) }
    }
    #expect(process.terminationStatus == 0)
  }
}
