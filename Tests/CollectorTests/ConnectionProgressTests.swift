import Testing

@testable import Collector

/// Whose turn it is on a connection.
@Suite struct ConnectionProgressTests {
  private var connection = ConnectionProgress()

  @Test mutating func oneRequestTakesOneStepAfterAnother() {
    #expect(connection.step == .head && connection.isWaiting)
    connection.receivedHead()
    #expect(connection.step == .body && !connection.isWaiting)
    connection.receivedEnd()
    #expect(connection.step == .work && !connection.isWaiting)
    connection.beganAnswer()
    connection.endedAnswer()
    #expect(connection.step == .answer && connection.isWaiting)
    connection.tookAnswer()
    #expect(connection.step == .idle && connection.isWaiting)
  }

  /// A client that sends request after request is still waited for as long as it takes no answer.
  @Test mutating func anAnswerThatIsNotTakenIsWaitedForWhateverWasAskedSince() {
    for _ in 0..<3 {
      connection.receivedHead()
      connection.receivedEnd()
    }
    connection.beganAnswer()
    connection.endedAnswer()
    #expect(connection.step == .answer && connection.isWaiting)
    connection.receivedHead()
    #expect(connection.step == .answer && connection.isWaiting)
    connection.tookAnswer()
    #expect(connection.step == .work && !connection.isWaiting)
  }

  @Test mutating func theRestOfAnAnsweredRequestIsWaitedFor() {
    connection.receivedHead()
    connection.beganAnswer()
    connection.endedAnswer()
    connection.tookAnswer()
    #expect(connection.step == .body && connection.isWaiting)
    connection.receivedEnd()
    #expect(connection.step == .idle)
  }

  /// The server reads it only after it has answered the first request.
  @Test mutating func aBodyBehindAnotherRequestHasNoTimeLimit() {
    connection.receivedHead()
    connection.receivedEnd()
    connection.receivedHead()
    #expect(connection.step == .work)
  }

  @Test mutating func anAnswerWithoutARequestLeavesNothingOpen() {
    connection.beganAnswer()
    connection.endedAnswer()
    connection.tookAnswer()
    connection.receivedHead()
    #expect(connection.step == .body && !connection.isWaiting)
  }
}
