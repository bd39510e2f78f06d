import FirstlightModel
import SystemSupport

/// What a run that was watched through breakpoints left: its traces, and the images they are of.
package struct BreakpointRecording {
  /// Sorted by start time. Images are identified by their paths.
  package var traces: [Trace]
  package var images: BreakpointImages

  /// The function tables of a run.
  package struct Builds {
    /// Each build once.
    package var builds: [Build] = []
    /// The places in `builds` of images, by `Image.path`.
    package var indices: [String: Int] = [:]
    package var problems: [String] = []
  }

  /// What function tables have.
  package enum Detail {
    /// The names of symbols: these are known from the start.
    case symbols
    /// Also demangled names and source lines, which take time to find.
    case all
  }

  package func builds(_ detail: Detail = .all) -> Builds {
    var result = Builds(problems: images.problems)
    for (number, entry) in images.kept {
      result.problems += BreakpointImages.problems(of: entry)
      var build: Build
      switch detail {
      case .symbols:
        build = entry.image.bareBuild(recordedPath: entry.path, entries: entry.entries)
      case .all:
        Terminal.progress("indexing \(entry.path)")
        build = entry.image.symbolBuild(recordedPath: entry.path, entries: entry.entries)
        result.problems += entry.image.notes
      }
      do throws(Failure) {
        try entry.image.checkUnchanged()
      } catch {
        result.problems.append("\(error.problem), so its functions have no names; record again")
        build.forgetNames()
      }
      let known = result.builds.firstIndex { $0.buildID == build.buildID }
      if let known, result.builds[known].guardCount != build.guardCount {
        result.problems.append(
          "\(entry.path): its symbol table differs from that of its copy \(result.builds[known].path), "
            + "so its functions are left out; record copies in separate runs")
        continue
      }
      result.indices[Self.key(image: number, path: entry.path)] = known ?? result.builds.count
      if known == nil { result.builds.append(build) }
    }
    return result
  }

  /// A name for an image: a path alone may have held several files in the course of a run.
  package static func key(image: Int, path: String) -> String { "\(image) \(path)" }
}
