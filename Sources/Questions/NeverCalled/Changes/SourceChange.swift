import FirstlightModel

/// What changed in the sources since a commit, as far as a recording knows: the functions that changed, and the files of
/// which it says nothing.
package struct SourceChange: Sendable {
  /// The revision as the user named it.
  package let revision: String
  /// The commit that the sources are compared with.
  package let mergeBase: String
  /// The functions that changed, by identity, and whether all their lines were added.
  package internal(set) var functions: [TextBytes: Bool] = [:]
  /// Functions that did not change, but contain a changed macro, by identity.
  package internal(set) var reached: Set<TextBytes> = []
  /// Files that are not what was recorded: which of their functions changed is unknown.
  package internal(set) var outdated: [String] = []
  /// Changed source files of which nothing was recorded.
  package internal(set) var unrecorded: [String] = []
  /// Submodules at another commit. Their files are compared in their own repositories.
  package internal(set) var submodules: [String] = []
  /// The number of changed lines in recorded files and headers that are in no recorded function: types, constants,
  /// macros.
  package internal(set) var linesOutside = 0

  init(revision: String, mergeBase: String) {
    (self.revision, self.mergeBase) = (revision, mergeBase)
  }

  /// Whether a function changed.
  package func contains(_ row: borrowing FunctionReport) -> Bool {
    functions[row.identity] != nil
  }

  /// Whether all lines of a changed function were added.
  package func isNew(_ row: borrowing FunctionReport) -> Bool {
    functions[row.identity] == true
  }
}

extension DeadCodeList {
  /// The functions of a change, with an answer to whether they were called. What the newest build lacks is unknown.
  func changed(_ answer: Verdict.Answer) -> [FunctionReport] {
    guard let change else { return [] }
    return report.select {
      change.contains($0) && isInScope($0) && ($0.verdict.answer ?? .unknown) == answer
    }
  }
}
