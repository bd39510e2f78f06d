import FirstlightModel
import Synchronization
import Testing

@testable import Collector

@Suite struct BodyBudgetTests {
  private let one = Peer(network: [10, 0, 0, 1])
  private let two = Peer(network: [10, 0, 0, 2])

  @Test func whatIsNotThereYetTakesNoRoom() throws {
    let budget = BodyBudget(limit: 100)
    let first = try budget.begin(from: one, length: 90) {}
    let second = try budget.begin(from: one, length: 90) {}
    try budget.take(90, for: first)
    #expect(throws: BodyBudget.noRoom) { try budget.take(11, for: second) }
    try budget.take(10, for: second)
    #expect(throws: BodyBudget.noRoom) { _ = try budget.begin(from: one, length: 1) {} }
    budget.end(first)
    try budget.take(90, for: second)
  }

  @Test func whoHoldsMostLosesWhatItBeganLast() throws {
    let cut = Mutex<[String]>([])
    func cutOff(_ name: String) -> @Sendable () -> Void { { cut.withLock { $0.append(name) } } }
    let budget = BodyBudget(limit: 100)
    let whole = try budget.begin(from: one, length: nil, cutOff: cutOff("whole"))
    let older = try budget.begin(from: one, length: nil, cutOff: cutOff("older"))
    let newer = try budget.begin(from: one, length: nil, cutOff: cutOff("newer"))
    for share in [whole, older, newer] { try budget.take(30, for: share) }
    budget.received(whole)
    let other = try budget.begin(from: two, length: 20, cutOff: cutOff("other"))
    try budget.take(20, for: other)
    #expect(cut.withLock { $0 } == ["newer"])
    #expect(throws: BodyBudget.noRoom) { try budget.take(1, for: newer) }
    // What came as a whole stays, and who holds little is not cut off for others.
    try budget.take(40, for: other)
    #expect(cut.withLock { $0 } == ["newer", "older"])
    #expect(throws: BodyBudget.noRoom) { try budget.take(20, for: other) }
    budget.end(other)
    let small = try budget.begin(from: two, length: nil, cutOff: cutOff("small"))
    try budget.take(25, for: small)
    let third = try budget.begin(from: one, length: nil, cutOff: cutOff("third"))
    #expect(throws: BodyBudget.noRoom) { try budget.take(60, for: third) }
    #expect(cut.withLock { $0 } == ["newer", "older"])
  }
}
