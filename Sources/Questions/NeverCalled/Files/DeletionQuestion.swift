import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport

/// Decides which candidates for deletion stay, and counts the lines of the others, by the text of their declarations.
///
/// - Parameters:
///   - candidates: those that references allow to delete.
///   - folder: the folder that patches are applied in.
package typealias DeletionCheck = (
  _ candidates: [DeletionCandidate], _ folder: String
) throws(Failure) -> DeletionAnswer

/// Which functions `prune` would keep, and the lines that it would remove. Only `firstlight-prune` parses declarations, so `firstlight` asks it.
package struct DeletionQuestion: Codable {
  /// The option with which `firstlight-prune` reads a question from its input and writes the answer to its output.
  package static let option = "check-declarations"

  private var candidates: [DeletionCandidate]
  private var folder: String

  /// A check by `firstlight-prune`.
  package static func ask(
    _ candidates: [DeletionCandidate], in folder: String
  ) throws(Failure) -> DeletionAnswer {
    let question = DeletionQuestion(candidates: candidates, folder: folder)
    let program = SiblingProgram("firstlight-prune")
    let output = try program.output(
      of: ["--\(option)"], input: Array(try JSONForm.compact(question).utf8))
    guard let answer = try? JSONDecoder().decode(DeletionAnswer.self, from: Data(output))
    else {
      throw Failure(
        .unavailable, "firstlight-prune does not show which declarations can be removed",
        advice: "install the one of this version: \(ToolVersion.text)")
    }
    return answer
  }

  /// Answers a question in `firstlight-prune`.
  package static func answer(
    _ question: [UInt8], by check: DeletionCheck
  ) throws(Failure) -> [UInt8] {
    guard let question = try? JSONDecoder().decode(Self.self, from: Data(question)) else {
      throw Failure(
        .usage, "--\(option) is for firstlight dead and why, which write its input")
    }
    return Array(try JSONForm.compact(try check(question.candidates, question.folder)).utf8)
  }
}
