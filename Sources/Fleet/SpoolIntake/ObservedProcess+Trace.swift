import FirstlightModel
import FleetModel
import TraceReader

extension ObservedProcess {
  /// A process according to its files; without calls if they were not read.
  ///
  /// - Parameters:
  ///   - called: the called guards of each of the trace's images.
  ///   - keepsCalls: whether the trace has its first calls.
  ///   - run: the run's id.
  ///   - root: the first process of its family.
  ///   - endedAt: time of the observation that it had ended, seconds since 1970; nil if never seen running.
  ///   - problems: collects the images that cannot be counted.
  init(
    _ trace: Trace, called: [CalledGuards], keepsCalls: Bool, run: String, root: String,
    host: String, endedAt: Double?,
    problems: inout [String]
  ) {
    let base = trace.clockBase
    let startedAt = trace.startedAt
    var losses = trace.losses
    var images: [Image] = []
    var placeOf: [BuildKey: Int] = [:]
    var places: [Int32?] = []
    var callCount = 0
    var last = base.monotonic
    var first = UInt64.max
    let hasBetter = trace.images.contains { $0.watch?.isSpare == false }
    for (image, called) in zip(trace.images, called) {
      if hasBetter, image.watch?.isSpare == true {
        places.append(nil)
        continue
      }
      guard let buildID = image.buildID else {
        problems.append(
          "\(image.path): has no build id, so its first calls are ignored; link it with "
            + "-Wl,--build-id")
        places.append(nil)
        continue
      }
      let key = BuildKey(buildID: buildID, recorder: image.recorder)
      let guards =
        called.listed.isEmpty ? GuardSet(words: called.words) : GuardSet(called.listed)
      if let known = placeOf[key] {
        // If an image was loaded twice, it is still one build.
        guard images[known].guardCount == image.guardCount else {
          losses.lostImages += 1
          places.append(nil)
          continue
        }
        places.append(Int32(known))
        images[known].called.formUnion(guards)
        images[known].unseen = images[known].unseen.map {
          $0.intersection(trace.unseen(of: image) ?? $0)
        }
      } else {
        places.append(Int32(images.count))
        placeOf[key] = images.count
        var counted = Image(
          build: key, name: image.path, isExecutable: image.path == trace.path,
          guardCount: image.guardCount, called: guards)
        counted.unseen = trace.unseen(of: image)
        counted.isWindow = trace.wasWatchedLate(image)
        images.append(counted)
      }
      callCount += guards.count
      if let times = called.times {
        (first, last) = (min(first, times.lowerBound), max(last, times.upperBound))
      }
    }
    func sinceStart(_ time: UInt64) -> UInt64 { time > base.monotonic ? time - base.monotonic : 0 }
    var calls: [RecordedCall]?
    var callers: [UInt64] = []
    if keepsCalls {
      let counted = trace.firstCalls.filter { places[Int($0.image)] != nil }
      calls = counted.map { call in
        RecordedCall(
          build: places[Int(call.image)] ?? 0, guardIndex: call.guardIndex, thread: call.thread,
          time: sinceStart(call.time))
      }
      // Breakpoints are at the functions themselves.
      callers = counted.map { trace.images[Int($0.image)].watch == nil ? $0.caller : 0 }
    }
    images += Self.counted(trace)
    let endedAt =
      trace.watch.flatMap { $0.ended ?? $0.until }.map { startedAt + Double(sinceStart($0)) / 1e9 }
      ?? endedAt
    // The watcher was killed: what the process called later is missing.
    if let watch = trace.watch, watch.ended == nil { losses.runningProcesses += 1 }
    let watched = max(Double(last - base.monotonic) / 1e9, (endedAt ?? 0) - startedAt)
    self.init(
      run: run, process: trace.process.description,
      forkedFrom: trace.forkedFrom?.process.description, root: root, host: host,
      startedAt: startedAt, seconds: watched,
      readyAfter: trace.ready.map { Double(sinceStart($0)) / 1e9 }, losses: losses,
      images: images, callCount: callCount,
      callTimes: callCount == 0
        ? nil
        : Self.moment(
          sinceStart(first), from: startedAt)...Self.moment(
            sinceStart(last), from: startedAt), calls: calls, callers: callers)
  }

  /// The counters of a process's images, one for each build.
  private static func counted(_ trace: Trace) -> [Image] {
    var counted: [BuildKey: Image] = [:]
    for image in trace.images {
      guard let records = image.counters, let buildID = image.buildID else { continue }
      let key = BuildKey(buildID: buildID, recorder: .counters)
      let ran = GuardSet(words: records.words)
      // Two copies of one build have counters of their own.
      guard let known = counted[key] else {
        counted[key] = Image(
          build: key, name: image.path, isExecutable: image.path == trace.path,
          guardCount: records.count, called: ran)
        continue
      }
      if known.guardCount == records.count { counted[key]?.called.formUnion(ran) }
    }
    return counted.values.sorted { $0.build < $1.build }
  }
}

extension Trace {
  /// What a watcher did not see of an image; nil if the process recorded itself.
  fileprivate func unseen(of image: FirstlightModel.Image) -> UnseenFunctions? {
    guard let seen = image.watch else { return nil }
    let gaps = seen.since == .max ? [0..<UInt32(image.guardCount)] : seen.gaps
    return UnseenFunctions(
      gaps: RangeSet(gaps), lacksStart: !showsStart(of: image), of: image.guardCount)
  }
}
