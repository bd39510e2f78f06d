import ReferenceIndex
import Testing

@testable import NeverCalled

/// The order of a list that leads with what can be deleted.
@Suite struct OrderTests {
  private func order(
    _ reasons: [ReferenceReason], roots: [Int?], referrers: [[Int]], bytes: [UInt64]
  ) -> (names: [Int], depths: [Int]) {
    let reports = reasons.map { ReferenceReport(reason: $0, named: nil) }
    let order = ReferenceOrder(reports, roots: roots, referrers: referrers, bytes: bytes)
    return (reasons.indices.sorted { order.ranks[$0] < order.ranks[$1] }, order.depths)
  }

  private static let cluster = ReferenceReason.Cluster(functions: 1, bytes: 1)
  private static let site = ReferenceReason.Site(file: "/a", line: 1, container: nil)

  @Test func whatCanBeDeletedComesFirst() {
    let found = order(
      [
        .liveCode(Self.site), .unknown(.noName), .unreferenced(Self.cluster), .onlyTests(Self.site),
      ],
      roots: [nil, nil, 2, nil], referrers: [[], [], [], []], bytes: [9, 9, 1, 1])
    #expect(found.names == [2, 3, 0, 1])
  }

  @Test func treesAreInOnePieceTheLargestFirst() {
    let falls = ReferenceReason.fallsWith(root: 2, others: 0, Self.cluster)
    let found = order(
      [
        .unreferenced(Self.cluster), falls, .unreferenced(Self.cluster), falls, falls,
      ],
      roots: [0, 2, 2, 2, 2], referrers: [[], [2], [], [1, 2], [3]], bytes: [50, 30, 10, 20, 5])
    #expect(found.names == [2, 1, 3, 4, 0])
    #expect(found.depths == [0, 1, 0, 1, 2])
  }

  @Test func circlesHaveOnePlaceEach() {
    let falls = ReferenceReason.fallsWith(root: 0, others: 0, Self.cluster)
    let found = order(
      [falls, falls, falls], roots: [0, 0, 0], referrers: [[2], [0], [1]], bytes: [3, 2, 1])
    #expect(found.names == [0, 1, 2])
    #expect(found.depths == [0, 1, 2])
  }

  @Test func whatFallsWithANamedFunctionStays() {
    var source = Source()
    let root = source.declare("root", .function)
    source.ask(
      "root",
      ReferenceSubject(
        join: .symbol(root), answer: .neverCalled, named: .init(file: "/a", line: 1)))
    source.refer(to: source.function("leaf"), from: root)
    #expect(source.reason("leaf") == .onlyNeverCalled(by: source.number("root"), test: nil))
  }
}
