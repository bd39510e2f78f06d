import FirstlightModel
import Reports
import Testing

@Suite struct LossTextTests {
  @Test func lossesAreNamed() {
    #expect(LossText.text(Losses()) == "none")
    #expect(
      LossText.text(Losses(drops: 2, uncommitted: 1))
        == "2 dropped first calls, 1 first call cut off by the process's end")
  }
}
