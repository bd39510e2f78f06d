import FirstlightModel
import FleetModel

extension ObservedProcess {
  /// A finished process as its trace tells it.
  ///
  /// - Parameters:
  ///   - run: the run's id.
  ///   - root: the first process of its family.
  ///   - endedAt: when it was seen to have ended, seconds since 1970; nil if nobody saw it run.
  ///   - problems: images that cannot be counted are added to it.
  init(
    _ trace: Trace, run: String, root: String, host: String, endedAt: Double?,
    problems: inout [String]
  ) {
    let base = trace.clockBase
    let startedAt = Double(base.realtime) / 1e9
    var images: [Image] = []
    var places: [Int32?] = []
    for image in trace.images {
      guard let buildID = image.buildID else {
        problems.append(
          "\(image.path): has no build id, so its first calls are left out; link it with "
            + "-Wl,--build-id")
        places.append(nil)
        continue
      }
      let key = BuildKey(buildID: buildID)
      if let known = images.firstIndex(where: { $0.build == key }) {
        // Loaded twice: one build all the same.
        places.append(images[known].guardCount == image.guardCount ? Int32(known) : nil)
        continue
      }
      places.append(Int32(images.count))
      images.append(
        Image(
          build: key, name: image.path, isExecutable: image.path == trace.path,
          guardCount: image.guardCount))
    }
    let counted =
      places.contains(nil)
      ? trace.firstCalls.filter { places[Int($0.image)] != nil } : trace.firstCalls
    let last = counted.reduce(base.monotonic) { max($0, $1.time) }
    let calls = counted.map { call in
      RecordedCall(
        build: places[Int(call.image)] ?? 0, guardIndex: call.guardIndex, thread: call.thread,
        time: call.time > base.monotonic ? call.time - base.monotonic : 0)
    }
    let watched = max(Double(last - base.monotonic) / 1e9, (endedAt ?? 0) - startedAt)
    self.init(
      run: run, process: trace.process.description,
      forkedFrom: trace.forkedFrom?.process.description, root: root, host: host,
      startedAt: startedAt, seconds: watched,
      readyAfter: trace.ready.map { Double($0 &- base.monotonic) / 1e9 }, losses: trace.losses,
      images: images, calls: calls, callers: counted.map(\.caller))
  }
}
