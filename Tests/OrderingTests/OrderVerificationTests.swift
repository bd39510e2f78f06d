import FirstlightModel
import TestSupport
import Testing

@testable import Ordering

@Suite struct OrderVerificationTests {
  @Test func risingAddressesAreInOrder() {
    let result = verify(["a", "b", "c"], [("a", 0x1000), ("b", 0x1010), ("c", 0x1020)])
    #expect(result.entries.allSatisfy { $0.fate == .inOrder })
    #expect(result.hitRate == 1)
    #expect(result.pages == 1)
    #expect(result.minimumPages == 1)
  }

  @Test func oneAtAWrongPlaceIsOneMiss() {
    let result = verify(
      ["a", "b", "c", "d"], [("a", 0x9000), ("b", 0x1000), ("c", 0x1010), ("d", 0x1020)])
    #expect(result.entries.map(\.fate.isMiss) == [true, false, false, false])
    #expect(result.entries[0].fate == .outOfPlace)
    #expect(result.pages == 2)
  }

  @Test func absentAndInlinedAreDistinguished() {
    let result = OrderVerification(
      of: ["a", "gone", "inside"], in: binary([("a", 0x1000)]), pageSize: 4096,
      inlined: { names in
        #expect(names == ["gone", "inside"])
        return ["inside"]
      })
    #expect(result.entries.map(\.fate) == [.inOrder, .absent, .inlined])
  }

  @Test func aNameAtAnEarlierOnesAddressIsFolded() {
    let result = verify(["a", "b", "c"], [("a", 0x1000), ("b", 0x1010), ("c", 0x1000)])
    #expect(result.entries[2].fate == .folded(into: "a"))
    #expect(result.hitRate == 1)
  }

  @Test func anotherOutputSectionIsNamed() {
    var linked = binary([("a", 0x1000), ("b", 0x1010), ("c", 0x500)])
    linked.outputSections[2] = ".init"
    let result = OrderVerification(of: ["a", "b", "c"], in: linked, pageSize: 4096)
    #expect(result.outputSection == ".text")
    #expect(result.entries[2].fate == .otherOutputSection(".init"))
  }

  @Test func withoutAMapTheNeighbourIsNamed() {
    let result = verify(
      ["z", "a", "b"], [("a", 0x1000), ("b", 0x1010), ("other", 0x8ff0), ("z", 0x9000)])
    #expect(result.entries[0].fate == .sharesSection(file: nil, neighbour: "other"))
  }

  @Test func aMapNamesTheObject() {
    var linked = binary([("a", 0x1000), ("b", 0x1010), ("other", 0x8000), ("z", 0x9000)])
    linked.inputSections = [
      InputSection(addresses: 0x1000..<0x1010, file: "m.o", name: ".text.a"),
      InputSection(addresses: 0x8000..<0x9010, file: "lib.a(z.o)", name: ".text"),
    ]
    let result = OrderVerification(of: ["z", "a", "b"], in: linked, pageSize: 4096)
    #expect(result.entries[0].fate == .sharesSection(file: "lib.a(z.o)", neighbour: nil))
    linked.inputSections[1].addresses = 0x9000..<0x9010
    let alone = OrderVerification(of: ["z", "a", "b"], in: linked, pageSize: 4096)
    #expect(alone.entries[0].fate == .outOfPlace)
  }

  @Test func onlyAMapTellsWhichNamesCanMove() {
    var linked = binary([
      ("a", 0x1000), ("b", 0x1010), ("c", 0x1020), ("other", 0x1030), ("z", 0x9000),
    ])
    let names = ["a", "b", "c", "z", "gone"]
    #expect(OrderVerification(of: names, in: linked, pageSize: 4096).movable == nil)
    // b shares a section with a; c with a function that is not in the order; the map lacks z's section.
    linked.inputSections = [
      InputSection(addresses: 0x1000..<0x1020, file: "a.o", name: ".text"),
      InputSection(addresses: 0x1020..<0x1040, file: "c.o", name: ".text"),
    ]
    #expect(OrderVerification(of: names, in: linked, pageSize: 4096).movable == 0)
    linked.inputSections = [
      InputSection(addresses: 0x1000..<0x1010, file: "a.o", name: ".text.a"),
      InputSection(addresses: 0x1010..<0x1020, file: "a.o", name: ".text.b"),
    ]
    #expect(OrderVerification(of: names, in: linked, pageSize: 4096).movable == 2)
  }

  /// Against all subsequences of short lists.
  @Test func theLongestRunIsTheLongest() {
    var random = SplitMix64(state: 7)
    for _ in 0..<300 {
      let values = (0..<8).map { _ in UInt64.random(in: 0..<10, using: &random) }
      let run = OrderVerification.longestRisingRun(values)
      #expect(zip(run, run.dropFirst()).allSatisfy { $0 < $1 && values[$0] < values[$1] })
      let longest = (0..<256).map { mask -> Int in
        let chosen = (0..<8).filter { mask >> $0 & 1 == 1 }.map { values[$0] }
        return zip(chosen, chosen.dropFirst()).allSatisfy { $0 < $1 } ? chosen.count : 0
      }.max()
      #expect(run.count == longest)
    }
  }

  private func verify(_ names: [String], _ symbols: [(String, UInt64)]) -> OrderVerification {
    OrderVerification(of: names, in: binary(symbols), pageSize: 4096)
  }

  private func binary(_ symbols: [(String, UInt64)]) -> LinkedBinary {
    LinkedBinary(
      symbols: symbols.map { TargetSymbol(name: $0.0, address: $0.1, size: 16, isLocal: false) },
      outputSections: symbols.map { _ in ".text" })
  }
}
