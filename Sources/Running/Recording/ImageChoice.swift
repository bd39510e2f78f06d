import FirstlightModel
import SystemSupport

/// Picks the one image of a profile that a command is about.
package struct ImageChoice {
  /// Nil: the executable.
  package let glob: String?

  package init(glob: String?) {
    self.glob = glob
  }

  /// - Throws: `Failure` of kind `data` if none fits, or several do; it lists what there is.
  package func index(in profile: Profile) throws(Failure) -> Int {
    let builds = profile.builds.map(\.build)
    let named = glob.map { BuildID.named($0, among: builds.map(\.buildID)) } ?? []
    let candidates = builds.indices.filter { index in
      guard let glob else { return builds[index].kind == .executable }
      return named.contains(builds[index].buildID) || Glob.matchesFile(glob, builds[index].path)
    }
    if candidates.count == 1 { return candidates[0] }
    // Of one executable recorded over several builds, the newest: the profile's last run.
    let list = builds.map { "\($0.name) (\($0.kind.rawValue), build id \($0.buildID.short))" }
      .joined(separator: ", ")
    if candidates.isEmpty {
      throw Failure(
        .data,
        builds.isEmpty
          ? "the profile contains no binaries"
          : "no binary matches \(glob.map { "--image \($0)" } ?? "the executable"): \(list)",
        advice: builds.isEmpty ? "record the program again" : "choose one of these with --image")
    }
    if Set(candidates.map { builds[$0].buildID }).count == 1 {
      throw Failure(
        .data,
        "\(builds[candidates[0]].name) was recorded both by guards and by breakpoints, which number "
          + "its functions differently", advice: "use profiles of one kind")
    }
    throw Failure(
      .data,
      "several binaries match: "
        + candidates.map { "\(builds[$0].name) (build id \(builds[$0].buildID.short))" }
        .joined(separator: ", "), advice: "choose one with --image BUILD-ID")
  }
}
