import DebugInfo
import FirstlightModel
import Glibc
import ProfileFile
import SystemSupport
import TraceReader

/// Makes the profile of one run from its traces and the builds of its images.
struct ProfileAssembler {
  let run: RecordedRun
  /// Files that the recorder holds open; others are opened by their paths.
  var open: BreakpointImages?

  /// The profile of a run: reads the traces of its processes, and indexes each build once.
  func profile() throws(Failure) -> Profile {
    let directory = try TraceDirectory(path: run.directory)
    // Before the recordings are read, since later calls of these processes may be missing.
    let before = Set(try directory.entries().map(\.process))
    let running = before.filter(Self.isRunning)
    var reading = try directory.read()
    reading.traces.removeAll {
      $0.isWatchMark && $0.watch.map { Self.isRunning($0.recorder) } == true
    }
    for index in reading.traces.indices {
      let process = reading.traces[index].process
      if let watch = reading.traces[index].watch {
        // A process runs on without a watcher that was killed.
        if reading.traces[index].isWatchMark {
          reading.traces[index].losses.unrecordedProcesses = 1
        } else if watch.ended == nil {
          reading.traces[index].losses.runningProcesses = 1
        }
      } else if running.contains(process) || !before.contains(process) && Self.isRunning(process) {
        reading.traces[index].losses.runningProcesses = 1
      }
    }
    let mixed = reading.traces.foldOwnRecordings()
    reading.traces.removeSpareImages()
    noteUntraced(in: &reading.traces)
    if !reading.traces.isEmpty {
      reading.traces[0].losses.unrecordedProcesses +=
        run.missing.processes + reading.unreadProcesses
    }
    let parents = Set(reading.traces.compactMap(\.forkedFrom?.process))
    reading.traces.removeAll { $0.isUntouchedFork && !parents.contains($0.process) }
    var problems = reading.problems.map(\.description) + run.missing.problems + mixed
    problems += Self.stillRunning(reading.traces)

    var catalogue = BuildCatalogue(open: open)
    for trace in reading.traces {
      for image in trace.images { catalogue.add(image) }
      if trace.losses.lostImages > 0 {
        problems.append(
          "\(trace.path) (process \(trace.process.pid)): "
            + CountText.text(trace.losses.lostImages, "binary", "binaries")
            + " of it or its forks could not be recorded")
      }
    }
    for place in reading.traces.indices {
      // The functions of a copy with another symbol table are not those of its build.
      reading.traces[place].losses.lostImages += reading.traces[place].images.count {
        catalogue.index(of: $0) == nil
      }
    }
    problems += catalogue.problems
    let counters = RunCounters(of: &reading.traces, catalogue, during: times(of: reading.traces))
    var profile = profile(
      of: reading.traces, problems: problems + counters.problems, builds: catalogue.builds,
      buildIndex: { catalogue.index(of: $0) },
      bodyName: { catalogue.debugImages[$0]?.symbols.containing($1)?.name })
    for (build, found) in counters.byBuild { profile.builds[build].counters = found }
    for index in profile.builds.indices {
      profile.builds[index].sources = SourceDigests.of(profile.builds[index].build)
    }
    WatchedTraces(reading.traces)?.note(in: &profile) { catalogue.index(of: $0) }
    return profile
  }

  private func profile(
    of traces: [Trace], problems: [String], builds: [Build], buildIndex: (Image) -> Int?,
    bodyName: (Int, UInt64) -> String?
  ) -> Profile {
    var problems = problems
    var readyTime: UInt64?
    switch run.until {
    case .exit, .line, .duration: break
    case .port, .http:
      readyTime = run.reachedAt.map { UInt64($0 * 1e9) }
      if readyTime == nil {
        problems.append(
          "the program has not \(run.until.doneText): the profile contains all its first calls")
      }
    case .ready:
      readyTime = traces.compactMap(\.ready).min()
      if readyTime == nil {
        problems.append(
          "the program never reported ready: the profile contains all its first calls; call "
            + "Firstlight.ready() or firstlight_ready() in it")
      }
    }
    let times = times(of: traces)
    let record = Run(
      id: RunID.make(),
      command: run.command.isEmpty ? Self.command(of: traces) : run.command,
      host: HostInfo.describe(), startedAt: times.start, endedAt: times.end,
      ending: run.ending, problems: problems, attachment: WatchedTraces(traces)?.attachment)
    return Profile(
      run: record, traces: traces, builds: builds, buildIndex: buildIndex, bodyName: bodyName,
      until: readyTime)
  }

  /// The arguments of the first process whose arguments are known.
  private static func command(of traces: [Trace]) -> [String] {
    traces.lazy.map(\.arguments).first { !$0.isEmpty } ?? traces.first.map { [$0.path] } ?? []
  }

  /// The run's start and end, seconds since 1970.
  private func times(of traces: [Trace]) -> (start: Double, end: Double) {
    let first = traces.map(\.startedAt).min() ?? 0
    return (
      run.startedAt > 0 ? run.startedAt : first,
      run.endedAt > 0 ? run.endedAt : max(first, newestCall(traces))
    )
  }

  private func newestCall(_ traces: [Trace]) -> Double {
    traces.map { trace in
      let last = trace.firstCalls.map(\.time).max() ?? trace.clockBase.monotonic
      return trace.seconds(at: last)
    }.max() ?? 0
  }

  private static func isRunning(_ process: ProcessID) -> Bool {
    process.start != 0 && process.pid != UInt32(getpid())
      && LiveProcess(process.pid)?.startTime == process.start
  }

  /// Counts running processes without any recording: forks, which have no files until they make a
  /// first call that no earlier process has made.
  private func noteUntraced(in traces: inout [Trace]) {
    guard !traces.isEmpty else { return }
    let counted = Set(traces.lazy.filter { $0.losses.runningProcesses > 0 }.map(\.process.pid))
    let images = Set(texts: traces.flatMap { $0.images.map(\.path) })
    traces[0].losses.runningProcesses += run.running.count {
      !counted.contains($0.pid) && $0.mayCall(images)
    }
  }

  /// A process that outlives the program (a daemon) continues, but its later calls are not recorded.
  private static func stillRunning(_ traces: [Trace]) -> [String] {
    traces.filter { $0.losses.runningProcesses > 0 || $0.isWatchMark }.map { trace in
      if trace.isWatchMark {
        return "\(trace.path): its watcher was killed: processes that started last may be missing"
      }
      if let watch = trace.watch, watch.ended == nil { return cut(trace, watch) }
      let count = trace.losses.runningProcesses
      return
        "\(trace.path) (process \(trace.process.pid)\(count > 1 ? " and its forks" : "")) is still "
        + "running: the profile contains its first calls up to now; record with --until to follow it"
    }
  }
}

extension ProfileAssembler {
  /// A recording that its watcher has not ended.
  private static func cut(_ trace: Trace, _ watch: ProcessWatch) -> String {
    let name = "\(trace.path) (process \(trace.process.pid))"
    return isRunning(watch.recorder)
      ? "\(name) is still watched, by process \(watch.recorder.pid): the profile contains its first calls up to now"
      : "\(name): its recorder was killed, so the recording is incomplete: later calls are missing"
  }
}

/// A globally unique name for a run.
package enum RunID {
  package static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return HexText.of(generator.next() as UInt64) + HexText.of(generator.next() as UInt64)
  }
}

extension Trace {
  fileprivate var isWatchMark: Bool { watch?.isMark(of: process) == true }

  /// Whether calls before the recording's end are missing.
  var hasLostCalls: Bool {
    var losses = losses
    losses.runningProcesses = 0
    return !losses.isEmpty
  }

  /// Whether a forked process has recorded nothing. Most such processes have no files, but those of
  /// a program that could confine itself get them within fork(), even those that only call exec.
  fileprivate var isUntouchedFork: Bool {
    forkedFrom != nil && firstCalls.isEmpty && marks.isEmpty && ready == nil && losses.isEmpty
  }
}

/// Combines several profiles.
package enum ProfileFiles {
  /// Reads profiles one by one, so that at most two are in memory.
  ///
  /// - Parameter maxTraces: number of traces to keep; nil keeps all.
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

  /// Reads only the parts of profiles that lists show: builds with their coverage, and sums of all
  /// runs. Beside the file itself, one profile takes no memory for its runs; several profiles take some
  /// bytes for each run, to detect shared ones.
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
      // Runs in two profiles count once, which needs the runs themselves.
      if isShared { return try read(paths) }
      try merged.mergeSums(of: profile)
    }
    Terminal.clearProgress()
    return merged
  }
}
