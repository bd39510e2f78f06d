import FirstlightModel

extension Timeline {
  /// The timeline of a profile's run.
  ///
  /// - Parameters:
  ///   - profile: a profile of one run; its processes have their traces.
  ///   - demangle: returns the readable names of linker names, in order.
  /// - Throws: `Failure` of kind `data` if the profile has no run, several runs, or no trace.
  package init(
    of profile: Profile, demangle: ([String]) -> [String] = { $0 }
  ) throws(Failure) {
    guard let run = profile.runs.first else {
      throw Failure(
        .data, "the profile contains no run", advice: "record one with firstlight record")
    }
    guard profile.runs.count == 1, profile.unlisted.runs == 0 else {
      throw Failure(
        .data,
        "the profile contains \(profile.runs.count + profile.unlisted.runs) runs; a timeline needs "
          + "one", advice: "choose a process with --process; firstlight info lists them")
    }
    let processes = profile.processes
    guard !processes.isEmpty else {
      throw Failure(
        .data, "the profile contains no process: nothing was recorded",
        advice: "see firstlight info for the reason")
    }
    if let left = processes.first(where: \.isTraceLeftOut) {
      throw Failure(
        .data,
        "the profile has no trace of process \(left.pid): a merge kept only its "
          + "counts", advice: "use the profile that firstlight record wrote")
    }
    var builder = TimelineBuilder(profile: profile, demangle: demangle)
    let first = processes.map(\.startedAt).min() ?? 0
    for process in processes.sorted(by: { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }) {
      builder.add(process, offset: UInt64(clamping: ((process.startedAt - first) * 1e9).rounded()))
    }
    self.init(
      run: run, processes: builder.processes, threads: builder.threads,
      functions: builder.functions, spans: builder.spans, marks: builder.marks)
  }
}

/// Puts processes on one clock and nests their calls.
struct TimelineBuilder {
  private(set) var processes: [TimelineProcess] = []
  private(set) var threads: [TimelineThread] = []
  private(set) var functions: [TimelineFunction] = []
  private(set) var spans: [TimelineSpan] = []
  private(set) var marks: [TimelineMark] = []

  private let profile: Profile
  /// Readable names of initializers, by linker name.
  private let initializerNames: [TextBytes: String]
  private var functionIndices: [FunctionKey: Int] = [:]

  private enum FunctionKey: Hashable {
    case function(build: Int32, index: Int)
    /// A function of a build without function table.
    case unnamed(build: Int32, guardIndex: UInt32)
    case initializer(image: String, name: String, address: UInt64)
  }

  init(profile: Profile, demangle: ([String]) -> [String]) {
    self.profile = profile
    let names = Set(
      texts: profile.processes.flatMap { ($0.launch?.initializers ?? []).map(\.name) }
    ).sorted().map(\.text)
    initializerNames = Dictionary(
      texts: zip(names, demangle(names)), uniquingKeysWith: { first, _ in first })
  }

  mutating func add(_ process: RecordedProcess, offset: UInt64) {
    let place = processes.count
    let hasReturns = !process.calls.isEmpty && process.returns.count == process.calls.count
    let end = Self.end(of: process, hasReturns: hasReturns)
    let rows = ThreadRows(process: process)
    var steps = calls(of: process, hasReturns: hasReturns, end: end)
    steps += initializers(of: process, end: end)
    var cutSpans = 0
    let base = threads.count
    for row in rows.take(steps) {
      var nesting = SpanNesting(
        row.steps, thread: threads.count, firstSpan: spans.count, offset: offset)
      nesting.nest()
      cutSpans += nesting.cutSpans
      threads.append(
        TimelineThread(
          process: place, id: row.thread, spans: spans.count..<spans.count + nesting.spans.count,
          isMain: row.thread == process.pid))
      spans += nesting.spans
    }
    for mark in process.marks {
      guard let row = rows.index(of: mark.thread) else { continue }
      marks.append(
        TimelineMark(
          name: mark.name, thread: base + row, start: offset + mark.time, kind: mark.kind))
    }
    processes.append(
      TimelineProcess(
        pid: process.pid, parentPID: process.parentPID, path: process.path,
        arguments: process.arguments, start: offset, end: offset + end,
        ready: process.readyAfter.map { offset + UInt64(clamping: $0 * 1e9) },
        stages: (process.launch?.stages ?? []).map { stage in
          var moved = stage
          moved.start += offset
          return moved
        },
        callCount: process.callCount, hasReturns: hasReturns, cutSpans: cutSpans,
        losses: process.losses, scale: process.launch?.scale))
  }

  /// Time of the last event of a process, since its start.
  private static func end(of process: RecordedProcess, hasReturns: Bool) -> UInt64 {
    var end = process.readyAfter.map { UInt64(clamping: $0 * 1e9) } ?? 0
    // A call ends no later than its caller, so the outermost calls are sufficient.
    for (index, call) in process.calls.enumerated() {
      end = max(end, call.time)
      guard hasReturns, process.returns[index].parent < 0 else { continue }
      end = max(end, call.time + (process.returns[index].duration ?? 0))
    }
    for mark in process.marks {
      guard case .span(let duration?) = mark.kind else {
        end = max(end, mark.time)
        continue
      }
      end = max(end, mark.time + duration)
    }
    for stage in process.launch?.stages ?? [] { end = max(end, stage.start + stage.duration) }
    for run in process.launch?.initializers ?? [] {
      end = max(end, run.start + (run.duration ?? 0))
    }
    return end
  }

  private mutating func calls(
    of process: RecordedProcess, hasReturns: Bool, end: UInt64
  ) -> [SpanStep] {
    var steps: [SpanStep] = []
    steps.reserveCapacity(process.calls.count)
    // An image that is loaded again has first calls again: the first one represents the function, and replaces the
    // others as a parent.
    var stands: [Int32] = []
    var seen: [Int: Int32] = [:]
    let isWatched = process.launch?.initializers.isEmpty == false
    for (index, call) in process.calls.enumerated() {
      let function = function(of: call)
      if let known = seen[function] {
        stands.append(known)
        continue
      }
      seen[function] = Int32(steps.count)
      stands.append(Int32(steps.count))
      var step = SpanStep(function: function, thread: call.thread, start: call.time)
      if isWatched {
        step.identity = [functions[function].image, functions[function].linkerName]
      }
      if hasReturns {
        let seen = process.returns[index]
        step.ending = .init(seen.ending)
        if seen.parent >= 0, seen.parent < index { step.parent = Int(stands[Int(seen.parent)]) }
        step.minorFaults = UInt64(seen.minorFaults)
        step.majorFaults = UInt64(seen.majorFaults)
        if let duration = seen.duration {
          step.duration = seen.ending == .running ? .atLeast(duration) : .exactly(duration)
        } else if seen.ending == .running {
          step.duration = .atLeast(end - min(end, call.time))
        }
      }
      steps.append(step)
    }
    return steps
  }

  private mutating func initializers(of process: RecordedProcess, end: UInt64) -> [SpanStep] {
    var steps: [SpanStep] = []
    for run in process.launch?.initializers ?? [] {
      var step = SpanStep(function: function(of: run), thread: run.thread, start: run.start)
      step.isInitializer = true
      if !run.name.isEmpty { step.identity = [functions[step.function].image, run.name] }
      step.duration = run.duration.map { .exactly($0) } ?? .atLeast(end - min(end, run.start))
      step.ending = run.duration == nil ? .running : .returned
      step.minorFaults = run.minorFaults
      step.majorFaults = run.majorFaults
      steps.append(step)
    }
    return steps
  }

  private mutating func function(of run: InitializerRun) -> Int {
    let key = FunctionKey.initializer(image: run.image, name: run.name, address: run.address)
    if let known = functionIndices[key] { return known }
    let image = BaseName.of(run.image)
    let unnamed = "initializer at 0x" + String(run.address, radix: 16)
    let name = run.name.isEmpty ? unnamed : initializerNames[run.name] ?? run.name
    functions.append(
      TimelineFunction(
        name: name, shortName: FunctionIdentity(name: run.name, demangled: name).shownName,
        linkerName: run.name, image: image, module: image, file: nil, line: 0))
    functionIndices[key] = functions.count - 1
    return functions.count - 1
  }

  private mutating func function(of call: RecordedCall) -> Int {
    let build = profile.builds[Int(call.build)].build
    let found = build.function(ofGuard: call.guardIndex)
    let key: FunctionKey =
      found.map { .function(build: call.build, index: $0) }
      ?? .unnamed(build: call.build, guardIndex: call.guardIndex)
    if let known = functionIndices[key] { return known }
    if let found {
      let function = build.functions[found]
      let address = function.address.map { "0x" + String($0, radix: 16) } ?? "\(found)"
      functions.append(
        TimelineFunction(
          name: function.demangledName.isEmpty ? "function at \(address)" : function.demangledName,
          shortName: function.demangledName.isEmpty
            ? "function at \(address)"
            : function.identity.shownName,
          linkerName: function.name, image: build.name, module: function.moduleName(in: build),
          file: function.file, line: function.line))
    } else {
      functions.append(
        TimelineFunction(
          name: "guard \(call.guardIndex) of \(build.name)",
          shortName: "guard \(call.guardIndex) of \(build.name)", linkerName: "", image: build.name,
          module: build.name, file: nil, line: 0))
    }
    functionIndices[key] = functions.count - 1
    return functions.count - 1
  }
}
