/// Makes a profile from the traces of one run.
extension Profile {
  /// The profile of one run.
  ///
  /// - Parameters:
  ///   - traces: the run's processes.
  ///   - build: the index in `builds` of an image's build; nil omits the image's first calls, which
  ///     the caller must report.
  ///   - builds: the builds, without duplicates.
  ///   - bodyName: the linker name of the function at a link-time address of a build.
  ///   - until: CLOCK_MONOTONIC, nanoseconds; later calls are omitted.
  package init(
    run: Run, traces: [Trace], builds: [Build], buildIndex: (Image) -> Int?,
    bodyName: (_ build: Int, _ address: UInt64) -> String?, until: UInt64? = nil
  ) {
    self.init(builds: builds.map { RecordedBuild(build: $0) }, runs: [run])
    var loaded: Set<Int> = []
    for trace in traces {
      let indices = trace.images.map { buildIndex($0) }
      loaded.formUnion(indices.compactMap { $0 })
      let base = trace.clockBase
      // The program wrote these times itself.
      func sinceStart(_ time: UInt64) -> UInt64 {
        min(time > base.monotonic ? time - base.monotonic : 0, ProfileLimits.nanoseconds)
      }
      let startedAt = trace.startedAt
      var calls: [RecordedCall] = []
      calls.reserveCapacity(trace.firstCalls.count)
      var isKept = [Bool](repeating: false, count: trace.firstCalls.count)
      for (place, call) in trace.firstCalls.enumerated() {
        if let until, call.time > until { continue }
        guard let index = indices[Int(call.image)] else { continue }
        guard Int(call.guardIndex) < self.builds[index].coverage.count else { continue }
        isKept[place] = true
        let time = sinceStart(call.time)
        calls.append(
          RecordedCall(
            build: Int32(index), guardIndex: call.guardIndex, thread: call.thread, time: time))
        let seen = min(startedAt + Double(time) / 1e9, ProfileLimits.moments.upperBound)
        self.builds[index].coverage[Int(call.guardIndex)].seeInOneRun(at: seen)
        noteBody(of: call, in: index, bodyName: bodyName)
      }
      var process = RecordedProcess(
        id: trace.process.description, run: run.id, pid: trace.process.pid,
        parentPID: trace.parentPID, forkedFrom: trace.forkedFrom?.process.description,
        path: trace.path, arguments: trace.arguments, startedAt: startedAt,
        readyAfter: trace.ready.map { Double(sinceStart($0)) / 1e9 },
        losses: trace.losses, calls: calls)
      process.returns = trace.returns.keeping(isKept)
      process.launch = trace.launch
      let end = until.map(sinceStart) ?? ProfileLimits.nanoseconds
      process.marks = trace.marks.filter { $0.time <= end }
      for (image, index) in zip(trace.images, indices) {
        guard let records = image.counters, let index else { continue }
        // Two copies of one build have counters of their own.
        var all = process.counted[builds[index].buildID] ?? CountedRecords(count: records.count)
        if all.count == records.count { all.formUnion(records) }
        process.counted[builds[index].buildID] = all
      }
      processes.append(process)
    }
    for index in loaded { self.builds[index].runs = 1 }
  }

  /// Records the shared body of a merged function: its hook call lies there, not behind its own entry.
  private mutating func noteBody(
    of call: FirstCall, in index: Int, bodyName: (Int, UInt64) -> String?
  ) {
    let build = self.builds[index].build
    guard build.recorder == .guards, build.guarded.count == build.guardCount else { return }
    let function = build.functions[Int(call.guardIndex)]
    guard let entry = function.address else { return }
    // Most hook calls lie within their own function's symbol and need no look-up.
    if call.caller > entry, call.caller &- entry <= function.size { return }
    if let name = bodyName(index, call.caller &- 1), name != function.name,
      !function.aliases.contains(name)
    {
      self.builds[index].mergedBodies[call.guardIndex] = name
    }
  }
}

extension GuardCoverage {
  /// Records a first call; several processes of the run count once.
  fileprivate mutating func seeInOneRun(at time: Double) {
    firstSeen = isCalled ? min(firstSeen, time) : time
    lastSeen = max(lastSeen, time)
    runs = 1
  }
}
