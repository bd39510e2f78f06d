import FirstlightModel
import Ordering
import Testing

@Suite struct OrderEvaluationTests {
  @Test func everyFifthTraceIsHeldOut() {
    let traces = (0..<12).map { $0 % 2 == 0 ? ["a", "b"] : ["c", "d"] }
    let code = OrderingInput(of: 0, in: SymbolOrderTests.profile(traces))
    let evaluation = OrderEvaluation(of: code, pageSize: 4096)
    #expect(evaluation.isHeldOut)
    #expect(evaluation.trainingTraces == 10)
    #expect(evaluation.testTraces == 2)
    #expect(evaluation.rows.map(\.layout) == [.link, .firstCall, .balanced])
    #expect(evaluation.rows.allSatisfy { $0.touch.pages >= 2 })
  }

  @Test func withFewTracesNothingIsHeldOut() {
    let code = OrderingInput(of: 0, in: SymbolOrderTests.profile([["a", "b"], ["c"]]))
    let evaluation = OrderEvaluation(of: code, pageSize: 4096)
    #expect(!evaluation.isHeldOut)
    #expect(evaluation.trainingTraces == 2)
    #expect(evaluation.testTraces == 2)
  }

  /// Four functions a megabyte apart: the link needs four pages, an order one.
  @Test func linkOrderIsThatOfTheBuildsAddresses() {
    var profile = SymbolOrderTests.profile([["d", "b", "a", "c"]])
    for index in 0..<4 {
      profile.builds[0].build.functions[index].address = UInt64(index) << 20
    }
    let rows = OrderEvaluation(of: OrderingInput(of: 0, in: profile), pageSize: 4096).rows
    #expect(rows[0].touch.area == 1 + 2 + 3 + 4)
    #expect(rows[0].touch.windows == 4)
    #expect(rows[0].touch.orderedBytes == 0)
    #expect(rows[1].touch.area == 4)
    #expect(rows[2].touch.area == 4)
    #expect(rows[2].touch.orderedBytes == 64)
  }
}
