import FirstlightModel
import Glibc
import NeverCalled
import ProcessControl
import SystemSupport

/// The owners of a repository's files.
package struct OwnersFile {
  /// Nil if there is no such file.
  package let path: String?
  private let owners: CodeOwners

  /// - Parameters:
  ///   - path: the user's choice; nil: where GitHub and GitLab look.
  ///   - root: the repository's folder.
  /// - Throws: `Failure` if the file cannot be read.
  package init(_ path: String?, root: String) throws(Failure) {
    let places = ["/.github", "", "/docs", "/.gitlab"].map { place -> String in
      "\(root)\(place)/CODEOWNERS"
    }
    let found = places.first { access($0, F_OK) == 0 }
    self.path = path ?? found
    if let path {
      owners = CodeOwners(try TextFile.argument(path))
    } else {
      owners = CodeOwners(try found.map { path throws(Failure) in try TextFile.read(path) } ?? "")
    }
  }

  /// - Parameter path: from the repository's folder.
  package func owners(_ path: String) -> [String] { owners.owners(of: path) }
}

/// When the lines of declarations were last changed, according to git.
package struct ChangeDates {
  private var times: [TextBytes: [Int: Double]] = [:]

  package init(_ repository: GitRepository, _ candidates: [PruneCandidate]) {
    var lines: [TextBytes: Set<Int>] = [:]
    for candidate in candidates {
      lines[candidate.definition.file, default: []].insert(candidate.definition.target.line)
    }
    for (file, lines) in lines { times[file] = repository.changes(of: lines, in: file.text) }
  }

  /// In seconds since 1970; nil: unknown, or not committed.
  package func date(_ file: String, _ line: Int) -> Double? { times[file]?[line] }
}

extension PrunePlan {
  package func candidates(of series: PatchSeries) -> [PruneCandidate] {
    series.entries.flatMap(\.changed).map { candidates[$0] }
  }
}
