import FirstlightModel
import Testing

@testable import Pruning

@Suite struct FileChangeTests {
  /// To git and the file system these are two files.
  @Test func filesWithCanonicallyEqualNamesChangeEachForItself() {
    let composed = FileChange(path: "caf\u{e9}.swift", source: [1], result: [2])
    let decomposed = FileChange(path: "cafe\u{301}.swift", source: [3], result: nil)
    let changes = FileChange.between([], [composed, decomposed])
    #expect(changes == [decomposed, composed])
  }

  @Test func aFileThatThePatchLeavesAloneAgainIsRestored() {
    let change = FileChange(path: "a.c", source: [1], result: nil)
    #expect(
      FileChange.between([change], []) == [FileChange(path: "a.c", source: [], result: [1])])
  }
}
