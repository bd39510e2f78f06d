import FirstlightModel

/// A process as its host recorded it, before it is counted.
package struct ObservedProcess: Sendable {
  /// An image that the process loaded.
  package struct Image: Sendable {
    package var build: BuildKey
    package var name: String
    package var isExecutable: Bool
    package var guardCount: Int
    package var called: GuardSet
    /// What a watcher did not see; nil if the process recorded itself.
    package var unseen: UnseenFunctions?
    /// Whether the watch began after the program: such a run is a window.
    package var isWindow = false

    /// Whether these are the image's counters. They follow all images with calls.
    package var isCounted: Bool { build.recorder == .counters }

    package init(build: BuildKey, name: String, isExecutable: Bool, guardCount: Int) {
      self.init(
        build: build, name: name, isExecutable: isExecutable, guardCount: guardCount,
        called: GuardSet())
    }

    /// - Parameter called: guards below `guardCount`.
    package init(
      build: BuildKey, name: String, isExecutable: Bool, guardCount: Int, called: GuardSet
    ) {
      self.build = build
      self.name = name
      self.isExecutable = isExecutable
      self.guardCount = guardCount
      self.called = called
    }
  }

  package var run: String
  /// `ProcessID` as text.
  package var process: String
  package var forkedFrom: String?
  /// The first process of its family; the process itself if it was started by exec.
  package var root: String
  package var host: String
  package var startedAt: Double
  /// Duration of the recording.
  package var seconds: Double
  package var readyAfter: Double?
  /// When the functions that counters show were seen, seconds since 1970: when they were read, or at the process's end.
  package var countedAt: Double
  /// Seconds of each stage of a traced start-up; empty if the start was not traced.
  package var stages: [LaunchStage.Kind: Double] = [:]
  /// False for a running process with its calls so far.
  package var hasEnded = true
  package var losses: Losses
  /// The images, one for each build and recorder.
  package var images: [Image]
  package var callCount: Int
  /// Seconds since 1970 of the earliest and the latest first call; nil if there is none.
  package var callTimes: ClosedRange<Double>?
  /// In order; `build` is an index into `images`. Nil if the calls were not read.
  package var calls: [RecordedCall]?
  /// The link-time address after each call's hook call; empty if unknown.
  package var callers: [UInt64]

  package init(
    run: String, process: String, forkedFrom: String?, root: String, host: String,
    startedAt: Double, seconds: Double, readyAfter: Double?, losses: Losses, images: [Image],
    callCount: Int, callTimes: ClosedRange<Double>?, calls: [RecordedCall]?, callers: [UInt64]
  ) {
    self.run = run
    self.process = process
    self.forkedFrom = forkedFrom
    self.root = root
    self.host = host
    self.startedAt = startedAt
    self.seconds = seconds
    self.readyAfter = readyAfter
    self.losses = losses
    self.images = images
    self.callCount = callCount
    self.callTimes = callTimes
    self.calls = calls
    self.callers = callers
    countedAt = min(startedAt + max(0, seconds), Self.lastMoment)
  }

  /// A process of which only the calls are known.
  /// - Parameter images: their called functions are set from the calls, except what counters saw.
  package init(
    run: String, process: String, forkedFrom: String?, root: String, host: String,
    startedAt: Double, seconds: Double, readyAfter: Double?, losses: Losses, images: [Image],
    calls: [RecordedCall], callers: [UInt64]
  ) {
    var images = images
    var called: [[UInt32]] = images.map { _ in [] }
    var times: ClosedRange<UInt64>?
    for call in calls {
      called[Int(call.build)].append(call.guardIndex)
      times = min(times?.lowerBound ?? .max, call.time)...max(times?.upperBound ?? 0, call.time)
    }
    for place in images.indices where !images[place].isCounted {
      images[place].called = GuardSet(called[place])
    }
    self.init(
      run: run, process: process, forkedFrom: forkedFrom, root: root, host: host,
      startedAt: startedAt, seconds: seconds, readyAfter: readyAfter, losses: losses,
      images: images, callCount: calls.count,
      callTimes: times.map {
        Self.moment($0.lowerBound, from: startedAt)...Self.moment($0.upperBound, from: startedAt)
      }, calls: calls, callers: callers)
  }

  /// The time of a first call, in seconds since 1970, limited to plausible times.
  /// - Parameter time: nanoseconds since the process started.
  @inline(__always)
  package static func moment(_ time: UInt64, from startedAt: Double) -> Double {
    min(startedAt + Double(time) / 1e9, lastMoment)
  }

  private static let lastMoment = 1e11

  /// Index of the program's image: the executable, or the largest image if that has no guards.
  package var program: Int {
    images.indices.max {
      let (a, b) = (images[$0], images[$1])
      if a.isCounted != b.isCounted { return a.isCounted }
      if a.isExecutable != b.isExecutable { return b.isExecutable }
      return a.guardCount != b.guardCount ? a.guardCount < b.guardCount : a.build > b.build
    } ?? 0
  }
}
