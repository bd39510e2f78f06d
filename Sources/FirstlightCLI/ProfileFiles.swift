import FirstlightModel
import ProfileStore

/// Several profiles as one.
enum ProfileFiles {
  /// Reads one profile after the other, so that no more than two are in memory.
  ///
  /// - Parameter maxTraces: how many traces to keep; nil keeps all.
  static func read(_ paths: [String], maxTraces: Int? = nil) throws(Failure) -> Profile {
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
}
