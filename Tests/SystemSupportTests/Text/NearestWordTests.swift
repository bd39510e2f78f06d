import SystemSupport
import Testing

struct NearestWordTests {
  @Test(arguments: [
    ("lanch", "launch"), ("ordr", "order"), ("Dead", "dead"), ("recrod", "record"),
    ("gatee", "gate"), ("optimise", "optimize"),
  ])
  func aSlipIsForgiven(typed: String, meant: String) {
    let words = ["record", "dead", "launch", "order", "gate", "optimize"]
    #expect(NearestWord.to(typed, among: words) == meant)
  }

  @Test(arguments: ["", "x", "server", "deadlines"])
  func anotherWordIsNoSlip(typed: String) {
    #expect(NearestWord.to(typed, among: ["record", "dead", "launch"]) == nil)
  }
}
