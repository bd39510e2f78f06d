import FirstlightModel
import Testing

@Suite struct GlibcVersionTests {
  @Test(arguments: [("2.31", "2.31"), ("2.2.5", "2.2"), ("10.0", "10.0")])
  func versionsAreRead(text: String, version: String) {
    #expect(GlibcVersion(text)?.description == version)
  }

  @Test(arguments: ["", "2", "2.", ".31", "2.31-rc", "2.x", "PRIVATE", "2.3.4.5", "-2.31", "2.٣"])
  func anythingElseIsNone(text: String) {
    #expect(GlibcVersion(text) == nil)
  }

  @Test func minorVersionsAreNumbers() {
    #expect(GlibcVersion(2, 4) < GlibcVersion(2, 31))
    #expect(GlibcVersion(2, 36) < GlibcVersion(3, 0))
    #expect(!(GlibcVersion(2, 36) < .packedRelocations))
  }
}
