import DebugInfo
import FirstlightModel
import ProcessControl

/// The functions that contain a changed line of a macro, or of a text that is included in them, as the mapping of
/// counted builds shows it.
struct ChangedMacros {
  private struct Body: Hashable {
    @TextBytes var file: String
    var line: Int
  }

  /// Where the bodies of these functions begin.
  private var bodies: Set<Body> = []

  /// - Parameter files: the changed files.
  init(_ files: [TreeChange.File], in profile: borrowing Profile) {
    var hunks: [TextBytes: [TreeChange.Hunk]] = [:]
    for file in files { hunks[file.path] = file.hunks }
    let names = Set(hunks.keys)
    var paths: Set<TextBytes> = []
    for index in profile.builds.indices {
      let build = profile.builds[index].build
      guard build.functions.contains(where: \.isCounted), paths.insert(build.path).inserted,
        let image = try? DebugImage(path: build.path), image.recordedID == build.buildID
      else { continue }
      for use in image.macroUses(in: names)
      where hunks[use.file, default: []].contains(where: { $0.touches(use.lines) }) {
        bodies.insert(Body(file: use.functionFile, line: use.functionLine))
      }
    }
  }

  /// The identities of the functions.
  func functions(of report: DeadCodeReport, _ profile: borrowing Profile) -> Set<TextBytes> {
    guard !bodies.isEmpty else { return [] }
    var found: Set<TextBytes> = []
    for index in report.functions.indices {
      for piece in report.functions[index].pieces {
        guard piece.isCounted, let function = profile.function(of: piece) else { continue }
        if let file = function.file, bodies.contains(Body(file: file, line: function.line)) {
          found.insert(report.functions[index].identity)
        }
      }
    }
    return found
  }
}
