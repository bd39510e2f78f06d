import FirstlightModel
import FleetModel
import Synchronization
import Testing

@testable import ClickHouseStore
@testable import HTTPTransport

/// Which server of a shard is asked, and what is said of its answer.
@Suite struct ShardServersTests {
  /// Servers a and b of shard 1, c and d of shard 2.
  private final class Cluster: Sendable {
    /// Of each server its shard, how far it is behind, and whether it cannot reach ZooKeeper; nil: away.
    let looks = Mutex<[String: (shard: UInt64?, delay: UInt64, readOnly: UInt64)?]>([
      "a": (1, 0, 0), "b": (1, 0, 0), "c": (2, 0, 0), "d": (2, 0, 0),
    ])
    let asked = Mutex<[String]>([])

    var store: ClickHouseFleetStore {
      get throws {
        var tuning = ClickHouseTuning()
        tuning.lookAge = .zero
        let address = try ClickHouseAddress("http://a,b,c,d/d?cluster=c&replicated")
        return ClickHouseFleetStore(address, tuning: tuning) { request throws(Failure) in
          try self.answer(request)
        }
      }
    }

    private func answer(_ request: HTTPRequest) throws(Failure) -> HTTPAnswer {
      let server = String(request.url.dropFirst(7).prefix(1))
      guard let look = looks.withLock({ $0[server] ?? nil }) else {
        throw Failure(.unavailable, "\(server): no answer")
      }
      var rows = RowWriter()
      let sql = String(decoding: request.body ?? [], as: UTF8.self)
      if sql.contains("system.clusters") {
        for (name, shard) in [("a", 1), ("b", 1), ("c", 2), ("d", 2)] as [(String, UInt64)] {
          rows.add("server")
          rows.add(name)
          rows.add(shard)
          rows.add(UInt64(look.shard == shard ? 1 : 0))
        }
        rows.add("replica")
        rows.add("")
        rows.add(look.delay)
        rows.add(look.readOnly)
      } else {
        asked.withLock { $0.append(server) }
        rows.add(UInt16(19_000))
      }
      return .made(200, rows.bytes)
    }

    /// Asks each shard.
    func ask() async throws -> (servers: [String], gaps: [String]) {
      let gaps = AnswerGaps()
      asked.withLock { $0 = [] }
      _ = try await AnswerGaps.$current.withValue(gaps) { try await store.firstOpenDay() }
      return (asked.withLock { $0.sorted() }, gaps.lines)
    }
  }

  @Test func theReplicaThatLacksLeastIsAsked() async throws {
    let cluster = Cluster()
    #expect(try await cluster.ask() == (["a", "c"], []))
    cluster.looks.withLock { $0["a"] = (1, 3, 0) }
    #expect(try await cluster.ask() == (["b", "c"], []))
    cluster.looks.withLock { $0["b"] = (1, 0, 1) }
    #expect(try await cluster.ask() == (["a", "c"], []))
  }

  @Test func anOldAnswerIsSaidToBeOne() async throws {
    let cluster = Cluster()
    cluster.looks.withLock { $0["a"] = .some(nil) }
    cluster.looks.withLock { $0["b"] = (1, 99, 0) }
    var answer = try await cluster.ask()
    #expect(answer == (["b", "c"], ["old: clickhouse b:8123 answers for shard 1, 99 s behind"]))
    cluster.looks.withLock { $0["b"] = (1, 0, 1) }
    answer = try await cluster.ask()
    #expect(answer.gaps.count == 1 && answer.gaps[0].hasSuffix("cut off from ZooKeeper"))
  }

  @Test func aShardThatIsAwayIsMissing() async throws {
    let cluster = Cluster()
    for server in ["c", "d"] { cluster.looks.withLock { $0[server] = .some(nil) } }
    let answer = try await cluster.ask()
    #expect(answer.servers == ["a"])
    #expect(
      answer.gaps == ["incomplete: no server of shard 2 answers (c, d); its rows are missing"])
    for server in ["a", "b"] { cluster.looks.withLock { $0[server] = .some(nil) } }
    let failure = await #expect(throws: Failure.self) { try await cluster.ask() }
    #expect(failure?.problem.contains("none of 4 servers answers") == true)
  }

  @Test func aServerOfNoShardIsRefused() async throws {
    let cluster = Cluster()
    cluster.looks.withLock { $0["d"] = (nil, 0, 0) }
    let failure = await #expect(throws: Failure.self) { try await cluster.ask() }
    #expect(failure?.kind == .data && failure?.problem.contains("d:8123: is not one of") == true)
  }
}
