import Foundation
import TestSupport
import Testing

/// More questions than a firstlightd can answer.
@Suite(.serialized) struct FleetQuestionTests {
  private struct Times: Decodable {
    /// Seconds of one question alone; of the slowest check of health; of a question after the flood.
    var alone, health, after: Double
    /// Seconds of processor time of the daemon during and after the flood.
    var work: Double
  }

  /// - Parameter how: `closed`: each asks once and goes; `open`: each asks once and waits;
  ///   `pipelined`: each asks 20 times at once and takes no answer.
  @Test(arguments: ["closed", "open", "pipelined"])
  func aFloodOfQuestionsHoldsUpNothing(how: String) throws {
    let fleet = try FleetFixture()
    let listener = try Listener(fleet, ["--store", "sqlite:\(fleet.store)"])
    let pid = listener.daemon.command.process.processIdentifier
    let output = try HostileScript.run(
      "questions", listener.url, listener.token, "\(pid)", how, beside: listener.daemon)
    let times = try JSONDecoder().decode(Times.self, from: Data(output.utf8))
    // Without a bound it is that of all questions. Release builds stay below 1 s.
    #expect(times.health < max(3, 10 * times.alone), "\(times)")
    if how == "closed" {
      // 120 were asked: what nobody waits for is not done.
      #expect(times.after < max(3, 15 * times.alone), "\(times)")
      #expect(times.work < 40 * times.alone, "\(times)")
    }
    try listener.daemon.stop()
  }
}
