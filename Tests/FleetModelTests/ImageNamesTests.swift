import FirstlightModel
import FleetModel
import Testing

@Suite struct ImageNamesTests {
  @Test func theNameOfMostRunsIsFirst() {
    var names = ImageNames("/opt/prog", runs: 3)
    names.add("/tmp/debug-copy", runs: 1)
    names.add("/usr/bin/prog", runs: 2)
    #expect(names.sorted == ["prog", "debug-copy"] && names.first == "prog")
    #expect(names.paths == ["/opt/prog", "/tmp/debug-copy"])
    #expect(names.uses["prog"]?.runs == 5)
    #expect(names.withoutPaths.paths == ["prog", "debug-copy"])
  }

  @Test func aReplacedRowTakesItsRunsBack() {
    var names = ImageNames("prog", runs: 3)
    names.add(ImageNames("aaa", runs: 5))
    names.subtract(ImageNames("aaa", runs: 4))
    #expect(names.sorted == ["prog", "aaa"] && names.uses["aaa"]?.runs == 1)
  }

  @Test func aRowKeepsTheNamesOfMostRuns() {
    var names = ImageNames()
    for number in 0..<100 { names.add("copy-\(number)", runs: number) }
    #expect(names.limited.sorted.count == ImageNames.limit)
    #expect(names.limited.first == "copy-99" && names.limited.limited == names.limited)
  }
}

extension ImageNamesTests {
  @Test func aNameOfManyRunsStaysWhateverCameBefore() {
    var names = ImageNames()
    for number in 0..<16 { names.count(ImageNames("copy-\(number)", runs: 1)) }
    for _ in 0..<30 { names.count(ImageNames("prog", runs: 1)) }
    #expect(names.first == "prog" && names.uses.count == ImageNames.limit)
    #expect(names.uses["prog"]?.runs == 31)
    #expect(names.uses.values.reduce(0) { $0 + $1.runs } == 46)
  }
}

@Suite struct TableDecisionTests {
  private static func table(
    _ names: [String], path: String = "prog", symbols: Bool = true
  ) -> FunctionTable {
    let functions = names.enumerated().map { place, name in
      Function(
        address: UInt64(place) * 16, size: 16, name: name, demangledName: name, module: "",
        file: nil, line: 0, isCompilerGenerated: false, isLocal: false)
    }
    return FunctionTable(
      build: Build(
        buildID: BuildID("aa")!, path: path, kind: .executable, architecture: "x86_64",
        hasSymbols: symbols, hasDebugInfo: false, functions: functions,
        entryGuards: (0..<UInt32(names.count)).map { $0 }, guardCount: names.count), bodies: [])
  }

  @Test func aContradictionNeedsMoreProof() {
    let known = Self.table(["main", "f1", "f2"])
    for other in [Self.table(["main", "f2", "f1"]), Self.table(["main", "f1", "f2", "f3"])] {
      for (proof, earlier, takes) in [
        (TableProof.sent, TableProof.sent, false), (.found, .sent, false), (.sent, .found, true),
        (.sent, .chosen, false), (.chosen, .sent, true), (.chosen, .chosen, true),
      ] {
        let decision = TableDecision(on: other, proof, known: (known, earlier))
        #expect(decision.takesIt == takes && decision.contradiction != nil)
        #expect((decision.refusal(of: "x") == nil) == takes)
      }
    }
    let swapped = TableDecision(on: Self.table(["main", "f2", "f1"]), .sent, known: (known, .sent))
    #expect(
      swapped.sentence(about: "x")
        == "x contradicts the functions of this build: it has f2 in place of f1")
  }

  @Test func whatAgreesReplacesIfItSaysMore() {
    let (whole, stripped) = (
      Self.table(["main", "f1"]), Self.table(["main", ""], symbols: false)
    )
    let better = TableDecision(on: whole, .sent, known: (stripped, .sent))
    #expect(better.takesIt && better.contradiction == nil)
    let worse = TableDecision(on: stripped, .chosen, known: (whole, .sent))
    #expect(!worse.takesIt && worse.proof == .chosen && worse.refusal(of: "x") == nil)
    #expect(!TableDecision(on: whole, .found, known: (stripped, .sent)).takesIt)
    #expect(TableDecision(on: whole, .found, known: nil).takesIt)
  }
}
