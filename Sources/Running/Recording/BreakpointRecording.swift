import FirstlightModel
import FirstlightTracer
import Glibc
import ProcessControl
import SystemSupport

/// The recording of a run through breakpoints: its traces, and their images.
package struct BreakpointRecording {
  /// Sorted by start time. Images are identified by their paths.
  package var traces: [Trace]
  package var images: BreakpointImages
  /// The functions that were not watched, by index of their image.
  var unwatched: [Int: Set<UInt32>] = [:]
  /// The functions that were not called, and not watched from the start of a process.
  var withoutStart: [Int: Set<UInt32>] = [:]
  /// When all functions of a file were watched, by index of its image, as `FirstCall.time`; none: from the start on.
  var watchedSince: [Int: UInt64] = [:]

  /// The function tables of a run.
  package struct Builds {
    /// The builds, without duplicates.
    package var builds: [Build] = []
    /// Indices in `builds` by `Image.path`.
    package var indices: [String: Int] = [:]
    package var problems: [String] = []
  }

  /// The contents of function tables.
  package enum Detail {
    /// Symbol names, which are known from the start.
    case symbols
    /// Also demangled names and source lines, which take time to find.
    case all
  }

  package func builds(_ detail: Detail = .all) -> Builds {
    var result = Builds(problems: images.problems)
    let used = Set(traces.flatMap { $0.images.map(Self.number) })
    for (number, entry) in images.kept where used.contains(number) {
      result.problems += BreakpointImages.problems(of: entry)
      var build: Build
      do throws(Failure) {
        try entry.image.checkUnchanged()
        switch detail {
        case .symbols:
          build = entry.image.bareBuild(recordedPath: entry.path, entries: entry.entries)
        case .all:
          Terminal.progress("indexing \(entry.path)")
          build = entry.image.symbolBuild(recordedPath: entry.path, entries: entry.entries)
          result.problems += entry.image.notes
        }
        try entry.image.checkUnchanged()
      } catch {
        result.problems.append("\(error.problem), so its functions have no names; record again")
        build = entry.image.namelessBuild(recordedPath: entry.path, entries: entry.entries)
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

  /// The index in `images` of a trace's image.
  static func number(of image: Image) -> Int { Int(image.path.prefix(upToAny: " "))! }

  /// Notes functions whose breakpoints a process has taken out of its memory: it may have called them unseen.
  ///
  /// - Parameter lost: by index of their image.
  mutating func noteLost(_ lost: [Int: Set<UInt32>]) {
    var unseen = lost
    for trace in traces {
      let numbers = trace.images.map(Self.number)
      for call in trace.firstCalls { unseen[numbers[Int(call.image)]]?.remove(call.guardIndex) }
    }
    for (number, functions) in unseen.sorted(by: { $0.key < $1.key }) where !functions.isEmpty {
      unwatched[number, default: []].formUnion(functions)
      images.noteUnrecorded(
        "\(images.entries[number].path): a process gave back the memory of its code (madvise) or changed it, and with it "
          + "the breakpoints of \(CountText.text(functions.count, "function")), which may have been called unseen"
      )
    }
  }

  /// The identity of an image: during a run, several files may have had the same path.
  package static func key(image: Int, path: String) -> String { "\(image) \(path)" }
}

/// Records runs of an unmodified program through breakpoints, unattended.
package struct BreakpointRecorder {
  package let command: [String]
  package let until: ReadinessCondition
  /// Timeout for readiness, seconds.
  package let timeout: Double
  /// Variables for the program's environment.
  package let environment: [String: String]

  package init(
    command: [String], until: ReadinessCondition, timeout: Double,
    environment: [String: String] = [:]
  ) {
    self.environment = environment
    self.command = command
    self.until = until
    self.timeout = timeout
  }

  /// The profile of one run.
  ///
  /// - Parameter log: receives the program's output.
  /// - Throws: `Failure` if the program cannot be started or traced, fails, crashes, or is not
  ///   ready in time; if nothing was recorded; and if a termination signal came meanwhile.
  package func profile(log: ProgramLog) throws(Failure) -> Profile {
    let before = SignalMask.current
    defer { before.use() }
    let spool = try SpoolDirectory()
    defer { spool.remove() }
    let launch = BreakpointLaunch(globs: [], log: log)
    var duration: Double?
    if case .duration = until {} else { duration = timeout }
    var runner = ProgramRunner(
      command: command, directory: spool.path, until: until, timeout: duration, launch: launch,
      environment: environment, isQuiet: true)
    let run = try runner.run()
    if run.wasAskedToEnd { throw Failure(.data, "interrupted") }
    if let failure = run.failure { throw failure }
    let profile = try ProfileAssembler(run: run).profile(watched: launch.recording())
    if run.recordedNothing(profile) { throw run.nothingRecorded(noRebuild: true) }
    return profile
  }
}

/// Starts programs under the tracer.
package enum TracerStart {
  /// - Parameters:
  ///   - tracer: nil if there was not enough memory.
  ///   - streams: descriptors 0, 1, 2 of the program; nil for ours.
  /// - Throws: `Failure` of kind `notFound`, `notExecutable` (also for a program of another
  ///   machine, which the kernel would run in an emulator), `unavailable` or `system`.
  package static func start(
    _ tracer: OpaquePointer?, _ command: [String], _ environment: ProgramEnvironment,
    mask: sigset_t, streams: [Int32]?
  ) throws(Failure) -> pid_t {
    guard let tracer else { throw Failure(.system, "no memory left") }
    guard ProcessTable.isOfOwnNamespace else {
      throw Failure(
        .unavailable, "the program cannot be traced: /proc is of another pid namespace",
        advice: "mount one here: unshare --mount-proc, or mount -t proc proc /proc")
    }
    if let foreign = Failure.foreignProgram(command[0]) { throw foreign }
    let environment = LeakSanitizer.environment(environment, of: command[0])
    var mask = mask
    let (result, error) = withCArguments(command) { arguments in
      environment.withPointers { variables in
        let result =
          if let streams {
            fl_tracer_start(tracer, arguments, variables, &mask, streams)
          } else {
            fl_tracer_start(tracer, arguments, variables, &mask, nil)
          }
        return (result, errno)
      }
    }
    switch result {
    case FL_TRACER_STARTED: return fl_tracer_pid(tracer)
    case FL_TRACER_NOT_ALLOWED: throw TracingRefusal.failure("cannot be traced", error: error)
    case FL_TRACER_NO_PROCESS:
      throw TracingRefusal.failure("cannot make a process", error: error)
    default: throw .cannotStart(command[0], error)
    }
  }
}
