import FirstlightModel
import SystemSupport

/// The recordings behind a never-called list, which show how reliable the list is.
package struct Observation: Sendable {
  package var runs: Int
  package var processes: Int
  /// The runs that are windows: the recorder attached to a program that already ran. And their seconds.
  package var windows: Int
  package var windowSeconds: Double
  /// Names of the machines, sorted.
  package var hosts: [String]
  /// Builds, by image and then by age.
  package var versions: [ImageVersion]
  /// By index of the build in the profile.
  package var builds: [BuildAge]
  package var recorders: Set<Recorder>
  /// Seconds since 1970 of the first run's start and the last one's end.
  package var startedAt: Double
  package var endedAt: Double
  /// Seconds, summed over all runs.
  package var timeObserved: Double
  package var losses: Losses
  /// Other problems while recording, one line each with their count, most frequent first.
  package var problems: [(text: String, count: Int)]
  /// Bad endings of runs with their count, most frequent first.
  package var badEndings: [(ending: RunEnding, count: Int)]
  /// Images without debug information: nothing shows how the compiler inlined their functions.
  var imagesWithoutDebugInfo: [String]

  /// The number of builds in words, and of the binaries that they are of.
  package var buildsText: String {
    CountText.builds(versions.count, binaries: Set(versions.map(\.image)).count)
  }

  package init(of profile: Profile) {
    let unlisted = profile.unlisted
    runs = profile.runs.count + unlisted.runs
    processes = profile.processes.count + unlisted.processes
    (windows, windowSeconds) = Self.windows(of: profile)
    hosts = unlisted.hosts.union(Set(texts: profile.runs.lazy.map(\.host.name)))
      .sorted().map(\.text)
    startedAt =
      (profile.runs.map(\.startedAt) + [unlisted.span?.lowerBound].compactMap { $0 }).min() ?? 0
    endedAt =
      (profile.runs.map(\.endedAt) + [unlisted.span?.upperBound].compactMap { $0 }).max() ?? 0
    timeObserved = profile.runs.reduce(unlisted.seconds) {
      $0 + max(0, $1.endedAt - $1.startedAt)
    }
    losses = profile.losses
    builds = profile.builds.map { BuildAge(firstSeen: Self.firstSeen($0), runs: $0.runs) }
    recorders = Set(profile.builds.map(\.build.recorder))
    versions = Self.order(of: profile).map { index in
      let recorded = profile.builds[index]
      return ImageVersion(
        image: recorded.build.name, buildID: recorded.build.buildID.short,
        firstSeen: Self.firstSeen(recorded), runs: recorded.runs)
    }
    var counts = unlisted.problems
    for run in profile.runs { for problem in run.problems { counts[problem, default: 0] += 1 } }
    problems = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { (text: $0.key.text, count: $0.value) }
    let endings = profile.runs.reduce(into: unlisted.badEndings) { counts, run in
      if run.ending.isBad { counts[run.ending, default: 0] += 1 }
    }
    badEndings = endings.sorted { ($1.value, $0.key.text) < ($0.value, $1.key.text) }
      .map { (ending: $0.key, count: $0.value) }
    imagesWithoutDebugInfo = Set(
      // Without the file that ran, nothing is known of its debug information.
      profile.builds.filter { !$0.build.hasDebugInfo && !$0.build.guarded.isEmpty }
        .map(\.build.name)
    ).sorted()
  }

  /// The number of windows, and their seconds.
  static func windows(of profile: Profile) -> (count: Int, seconds: Double) {
    let listed = profile.runs.filter { $0.attachment != nil }
    let seconds = listed.reduce(profile.unlisted.windowSeconds) {
      $0 + max(0, $1.endedAt - $1.startedAt)
    }
    return (listed.count + profile.unlisted.windows, seconds)
  }

  /// Indices of the builds, by image and then from the oldest to the newest.
  static func order(of profile: Profile) -> [Int] {
    let ages = profile.builds.map(firstSeen)
    return profile.builds.indices.sorted {
      let (a, b) = (profile.builds[$0].build, profile.builds[$1].build)
      return (a.name, ages[$0], a.buildID.description, $0)
        < (b.name, ages[$1], b.buildID.description, $1)
    }
  }

  private static func firstSeen(_ recorded: RecordedBuild) -> Double {
    recorded.coverage.lazy.filter(\.isCalled).map(\.firstSeen).min() ?? 0
  }
}

/// The recordings of a build.
package struct BuildAge: Hashable, Sendable {
  /// Seconds since 1970; 0 if no function of the build was ever called.
  package var firstSeen: Double
  package var runs: Int
}
