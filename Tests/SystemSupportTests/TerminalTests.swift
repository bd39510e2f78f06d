import Testing

@testable import SystemSupport

@Suite struct TerminalTests {
  @Test(arguments: [("xterm-256color", true), ("vt100", true), ("dumb", false), ("", false)])
  func aTerminalThatSaysWhatItIsObeysSequences(term: String, obeys: Bool) {
    #expect(Terminal.obeysSequences(term: term) == obeys)
  }

  @Test func aTerminalThatSaysNothingDoesNot() {
    #expect(!Terminal.obeysSequences(term: nil))
  }
}
