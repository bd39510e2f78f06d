import FirstlightModel
import ProfileFile
import SystemSupport

/// Several profiles as one.
package enum ProfileFiles {
  /// Reads one profile after the other, so that no more than two are in memory.
  ///
  /// - Parameter maxTraces: how many traces to keep; nil keeps all.
  package static func read(_ paths: [String], maxTraces: Int? = nil) throws(Failure) -> Profile {
    var merged = Profile()
    for path in paths {
      if paths.count > 1 { Terminal.progress("reading \(path)") }
      let profile = try ProfileFile.read(path)
      if merged.runs.isEmpty { merged = profile } else { try merged.merge(profile) }
      if let maxTraces { merged.keepTraces(atMost: maxTraces) }
    }
    Terminal.clearProgress()
    return merged
  }

  /// Reads the parts of several profiles that lists show: builds, what was seen of them, and sums of all
  /// runs. Memory does not grow with the runs of a profile; for several ones it takes some bytes for each
  /// run, to detect shared ones.
  package static func readSums(_ paths: [String]) throws(Failure) -> Profile {
    guard paths.count > 1 else { return try ProfileFile.readSums(paths[0]) }
    var merged = Profile()
    var known: Set<Int> = []
    for path in paths {
      Terminal.progress("reading \(path)")
      var isShared = false
      let profile = try ProfileFile.readSums(path) {
        if !known.insert($0.hashValue).inserted { isShared = true }
      }
      // Runs that are in two profiles count once, which takes the runs themselves.
      if isShared { return try read(paths) }
      try merged.mergeSums(of: profile)
    }
    Terminal.clearProgress()
    return merged
  }
}
