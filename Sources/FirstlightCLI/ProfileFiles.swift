import FirstlightModel
import ProfileStore

/// Several profiles as one.
enum ProfileFiles {
  static func read(_ paths: [String]) throws(Failure) -> Profile {
    var merged = Profile()
    for path in paths {
      if paths.count > 1 { Terminal.progress("reading \(path)") }
      let profile = try ProfileFile.read(path)
      if merged.runs.isEmpty { merged = profile } else { merged.merge(profile) }
    }
    Terminal.clearProgress()
    return merged
  }
}
