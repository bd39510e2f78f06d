import Ledger
import Testing

@Test func eurosAreRounded() {
  var ledger = Ledger()
  ledger.add(Entry(name: "tea", cents: 250))
  ledger.add(Entry(name: "cake", cents: 425))
  #expect(ledger.euros() == 7)
}

@Test func namesAreSorted() {
  var ledger = Ledger()
  ledger.add(Entry(name: "tea", cents: 250))
  ledger.add(Entry(name: "cake", cents: 425))
  #expect(ledger.names() == ["cake", "tea"])
}
