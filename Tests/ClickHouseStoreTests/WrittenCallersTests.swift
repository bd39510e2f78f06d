import FirstlightModel
import FleetModel
import Testing

@testable import ClickHouseStore

@Suite struct WrittenCallersTests {
  private static let claim = Claim(BuildKey(buildID: BuildID("aa")!), guards: 9)

  @Test func onlyWhatIsNewOrBelowIsWritten() {
    let callers = WrittenCallers()
    #expect(callers.missing([1: 50, 2: 60], of: Self.claim, since: nil) == [1: 50, 2: 60])
    callers.add([1: 50, 2: 60], of: Self.claim, since: nil)
    callers.add([2: 70], of: Self.claim, since: nil)
    #expect(
      callers.missing([1: 50, 2: 59, 3: 1], of: Self.claim, since: nil) == [2: 59, 3: 1])
    let other = Claim(Self.claim.build, guards: 8)
    #expect(callers.missing([1: 50], of: other, since: nil) == [1: 50])
  }

  /// Also by another receiver: then what it removed up to has changed.
  @Test func theyGoWithTheirBuild() {
    let callers = WrittenCallers()
    callers.add([1: 50], of: Self.claim, since: nil)
    let since = FleetDay(number: 7)
    #expect(callers.missing([1: 50], of: Self.claim, since: since) == [1: 50])
    callers.add([1: 60], of: Self.claim, since: since)
    #expect(callers.missing([1: 55], of: Self.claim, since: since) == [1: 55])
    callers.forget(Self.claim.build)
    #expect(callers.missing([1: 60], of: Self.claim, since: since) == [1: 60])
  }

  @Test func memoryIsBounded() {
    let callers = WrittenCallers()
    let many = Dictionary(uniqueKeysWithValues: (0..<UInt32(600_000)).map { ($0, UInt64(1)) })
    callers.add(many, of: Self.claim, since: nil)
    #expect(callers.missing([5: 1], of: Self.claim, since: nil).isEmpty)
    let other = Claim(Self.claim.build, guards: 8)
    callers.add(many, of: other, since: nil)
    #expect(callers.missing([5: 1], of: Self.claim, since: nil) == [5: 1])
    #expect(callers.missing([5: 1], of: other, since: nil).isEmpty)
  }
}
