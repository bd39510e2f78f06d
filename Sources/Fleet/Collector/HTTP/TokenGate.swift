import FirstlightModel
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Checks tokens against the token file, and follows changes of the file.
///
/// A token is valid as long as its line is in the file. Invalid lines are ignored, so an error in the file
/// neither keeps removed tokens valid nor locks out all others. The log and /readyz report the error.
final class TokenGate: Sendable {
  private struct State {
    /// The contents when the file was last read; nil: it could not be read.
    var text: String?
    /// By the token's hash.
    var entries: [TextBytes: TokenEntry] = [:]
    var problem: Failure?
  }

  private let file: TokenFile
  private let logger: Logger
  private let state: Mutex<State>

  /// - Throws: `Failure` if the file cannot be read, or has an error.
  init(file: TokenFile, logger: Logger) throws(Failure) {
    self.file = file
    self.logger = logger
    state = Mutex(State())
    _ = try file.entries()
    try check()
  }

  /// - Throws: `Failure` if the file cannot be read, or has an error.
  func check() throws(Failure) {
    if let problem = state.withLock({ update(&$0) }) { throw problem }
  }

  /// The entry of a token; nil if unknown. Compares hashes, so the duration reveals nothing about tokens.
  func entry(of token: String) -> TokenEntry? {
    state.withLock { state in
      update(&state)
      return state.entries[TokenFile.hash(token)]
    }
  }

  /// Reads the file each time: a line can be removed without a change of the file's time stamp.
  @discardableResult
  private func update(_ state: inout State) -> Failure? {
    let known = state.problem
    do throws(Failure) {
      let text = try file.text()
      if let known = state.text, text == known { return state.problem }
      let (entries, mistake) = file.entries(in: text)
      state.entries = Dictionary(
        texts: entries.map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first })
      (state.text, state.problem) = (text, mistake)
    } catch {
      state = State(problem: error)
    }
    if let problem = state.problem, problem != known {
      logger.error(
        "mistake in the token file: only its sound lines count", metadata: ["reason": "\(problem)"])
    } else if known != nil, state.problem == nil {
      logger.notice("token file is sound again", metadata: ["file": "\(file.path)"])
    }
    return state.problem
  }
}
