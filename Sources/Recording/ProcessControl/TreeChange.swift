import FirstlightModel

/// What the working tree of a repository has changed since a commit: its own commits, staged and unstaged changes, and
/// untracked files.
package struct TreeChange: Sendable {
  /// The revision as the user named it.
  package var revision: String
  /// The merge base of the revision and HEAD: 40 digits, or 64.
  package var mergeBase: String
  /// The changed files that exist. Files that were only renamed or whose mode changed are not among them.
  package var files: [File]
  /// The commit's texts of changed, moved and deleted files.
  package var bases: [Base]
  /// Submodules that are at another commit. Their files are in repositories of their own.
  package var submodules: [String]

  /// A changed file.
  package struct File: Sendable {
    /// An absolute path. Bytes that are no UTF-8 are replaced, as in debug information.
    package var path: String
    package var hunks: [Hunk]

    package init(path: String, hunks: [Hunk]) { (self.path, self.hunks) = (path, hunks) }
  }

  /// A text of the commit.
  package struct Base: Sendable {
    /// The absolute path of the file, under its new name if it has one.
    package var path: String
    /// Git's id of the text.
    package var id: String
  }

  /// Neighbouring lines that were added, changed or removed.
  package struct Hunk: Hashable, Sendable {
    /// The lines of the new text, from 1. Empty, before a line, if lines were only removed.
    package var lines: Range<Int>
    /// Whether it removes no line.
    package var isAddition: Bool

    package init(lines: Range<Int>, isAddition: Bool) {
      (self.lines, self.isAddition) = (lines, isAddition)
    }

    /// Whether it changes the text from one line to another, both included.
    package func touches(_ extent: ClosedRange<Int>) -> Bool {
      lines.isEmpty
        ? extent.lowerBound < lines.lowerBound && lines.lowerBound <= extent.upperBound
        : lines.overlaps(extent)
    }
  }

  /// - Parameter root: the absolute path of the working tree.
  init(revision: String, mergeBase: String, root: String, patch: [UInt8], untracked: [UInt8]) {
    (self.revision, self.mergeBase) = (revision, mergeBase)
    (files, bases, submodules) = ([], [], [])
    for change in PatchReader(patch).changes {
      let path = "\(root)/\(change.path)"
      if change.isSubmodule {
        submodules.append(path)
        continue
      }
      if let id = change.base { bases.append(Base(path: path, id: id)) }
      if !change.isDeleted, !change.hunks.isEmpty {
        files.append(File(path: path, hunks: change.hunks))
      }
    }
    // A repository within this one, which git does not track, ends with a slash.
    for path in untracked.split(separator: 0) where path.last != UInt8(ascii: "/") {
      files.append(
        File(path: "\(root)/\(String(decoding: path, as: UTF8.self))", hunks: [.wholeFile]))
    }
  }
}

extension TreeChange.Hunk {
  static let wholeFile = Self(lines: 1..<Int(Int32.max), isAddition: true)
}
