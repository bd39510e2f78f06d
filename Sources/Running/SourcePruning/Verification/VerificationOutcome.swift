/// How a build and its tests ended.
package enum VerificationOutcome: Hashable, Sendable {
  case passed
  /// The lines that it wrote; the first that says why.
  case failed(lines: [String], reason: String)

  /// The same with paths as they are in a folder.
  func relative(to folder: String) -> VerificationOutcome {
    guard case .failed(let lines, let reason) = self else { return self }
    func short(_ line: String) -> String { line.replacing(folder + "/", with: "") }
    return .failed(lines: lines.map(short), reason: short(reason))
  }
}
