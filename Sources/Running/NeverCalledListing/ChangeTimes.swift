import DeadCode
import ProcessControl
import SystemSupport

extension DeadCodeList {
  /// Reads when the rows' lines were last changed, where git knows it.
  package mutating func readChangeTimes() {
    var lines: [String: Set<Int>] = [:]
    for row in dead where row.line > 0 {
      if let file = row.file { lines[file, default: []].insert(row.line) }
    }
    var times: [String: [Int: Double]] = [:]
    for (file, lines) in lines {
      guard let folder = AbsolutePath.folder(of: file) else { continue }
      times[file] = GitRepository(at: folder).changes(of: lines, in: file)
    }
    changeTimes = [:]
    for row in dead {
      if let file = row.file, let time = times[file]?[row.line] {
        changeTimes?[row.identity] = time
      }
    }
  }
}
