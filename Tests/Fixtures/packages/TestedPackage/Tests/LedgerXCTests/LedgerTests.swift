import Ledger
import XCTest

final class LedgerTests: XCTestCase {
  func testTotalIsTheSumOfAllEntries() {
    var ledger = Ledger()
    ledger.add(Entry(name: "tea", cents: 250))
    ledger.add(Entry(name: "cake", cents: 425))
    XCTAssertEqual(ledger.total(), 675)
  }
}
