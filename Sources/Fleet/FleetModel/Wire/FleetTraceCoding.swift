import FirstlightModel

/// Encodes one trace of a batch.
enum FleetTraceCoding {
  static func encode(_ trace: FleetTrace) -> [UInt8] {
    var writer = ByteWriter()
    let callBytes = (trace.calls?.count ?? 0) * 6
    writer.bytes.reserveCapacity(
      512 + callBytes
        + trace.images.reduce(0) { $0 + $1.seen.reduce(0) { $0 + $1.guards.underestimatedCount } })
    writer.fixed(trace.id.high)
    writer.fixed(trace.id.low)
    writer.text(trace.run)
    writer.text(trace.process)
    writer.text(trace.forkedFrom ?? "")
    writer.fixed(trace.family)
    writer.text(trace.host)
    writer.text(trace.labels.version)
    writer.text(trace.labels.text)
    writer.double(trace.startedAt)
    writer.double(trace.seconds)
    writer.double(trace.readyAfter ?? -1)
    writer.number(trace.countsRun ? 1 : 0)
    for loss in [
      trace.losses.drops, trace.losses.uncommitted, trace.losses.lostImages,
      trace.losses.unreadableSegments,
    ] {
      writer.number(min(loss, Int(UInt32.max)))
    }
    writer.number(trace.images.count)
    for image in trace.images { encode(image, to: &writer) }
    writer.number(trace.program)
    writer.number(trace.callCount)
    writer.number(trace.calls == nil ? 0 : 1)
    if let calls = trace.calls { encode(calls, to: &writer) }
    // At the end, so that traces without stages keep their former encoding.
    if !trace.stages.isEmpty { encode(trace.stages, to: &writer) }
    return writer.bytes
  }

  private static func encode(
    _ stages: [LaunchStage.Kind: Double], to writer: inout ByteWriter
  ) {
    writer.number(stages.count)
    for (kind, seconds) in stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      writer.text(kind.rawValue)
      writer.double(seconds)
    }
  }

  private static func encode(_ image: FleetImage, to writer: inout ByteWriter) {
    writer.text(image.build.buildID.description)
    writer.number(image.build.recorder.number)
    writer.text(image.name, limit: TraceLimits.text)
    writer.number(
      (image.isExecutable ? 1 : 0) | (image.countsRun ? 2 : 0) | (image.countsHost ? 4 : 0))
    writer.number(image.guardCount)
    writer.number(image.seen.count)
    for seen in image.seen {
      writer.double(seen.time)
      switch seen.guards {
      case .list(let guards):
        writer.number(0)
        writer.rising(guards)
      case .bits(let set):
        writer.number(1)
        writer.words(set.words)
      }
    }
    writer.rising(image.newOnHost.lazy.map(\.guardIndex))
    for first in image.newOnHost { writer.number(first.caller) }
  }

  private static func encode(_ calls: [RecordedCall], to writer: inout ByteWriter) {
    var threads: [UInt32] = []
    var places: [UInt32: Int] = [:]
    // Most calls have the same thread as the previous one.
    var last: (thread: UInt32, place: Int)?
    for call in calls where call.thread != last?.thread {
      last = (call.thread, places[call.thread] ?? threads.count)
      if places.updateValue(last?.place ?? 0, forKey: call.thread) == nil {
        threads.append(call.thread)
      }
    }
    writer.number(threads.count)
    for thread in threads { writer.number(UInt64(thread)) }
    writer.number(calls.count)
    var lastGuard: Int64 = 0
    var lastTime: UInt64 = 0
    for call in calls {
      let difference = Int64(call.guardIndex) - lastGuard
      writer.number(UInt64(call.build))
      writer.number(UInt64(bitPattern: (difference << 1) ^ (difference >> 63)))
      if call.thread != last?.thread { last = (call.thread, places[call.thread] ?? 0) }
      writer.number(last?.place ?? 0)
      // Sequence numbers, not clocks, order the calls: clocks of two threads can differ by some ns.
      let time = max(call.time, lastTime)
      writer.number(time - lastTime)
      lastGuard = Int64(call.guardIndex)
      lastTime = time
    }
  }

  private static let textLimit = TraceLimits.text

  /// - Parameters:
  ///   - end: end offset of the trace.
  ///   - hasSets: whether guards can be sets, as since FLB2.
  static func decode(
    _ reader: inout ByteReader, end: Int, hasSets: Bool
  ) throws(Failure) -> FleetTrace {
    let id = TraceID(high: try reader.fixed(), low: try reader.fixed())
    let run = try reader.text(limit: textLimit, called: "run")
    let process = try reader.text(limit: textLimit, called: "process")
    let forkedFrom = try reader.text(limit: textLimit, called: "parent")
    let family = try reader.fixed()
    let host = try reader.text(limit: textLimit, called: "host")
    let version = try reader.text(limit: textLimit, called: "version")
    let labelText = try reader.text(limit: textLimit, called: "labels")
    guard let labels = FleetLabels(version: version, text: labelText) else {
      throw reader.failure("labels are not as they should be")
    }
    let startedAt = try reader.double(called: "start")
    let seconds = try reader.double(called: "length")
    let readyAfter = try reader.double(called: "time to ready")
    guard startedAt >= 0, seconds >= 0 else { throw reader.failure("a time is negative") }
    let countsRun = try flag(&reader)
    let losses = Losses(
      drops: try small(&reader), uncommitted: try small(&reader), lostImages: try small(&reader),
      unreadableSegments: try small(&reader))
    let imageCount = try reader.count(ofSize: 8, called: "images")
    guard imageCount <= TraceLimits.images else { throw reader.failure("\(imageCount) images") }
    var images: [FleetImage] = []
    var budget = TraceBudget()
    for _ in 0..<imageCount { images.append(try image(&reader, hasSets: hasSets, &budget)) }
    let program = try small(&reader)
    guard program < max(1, imageCount) else { throw reader.failure("no image \(program)") }
    let callCount = try small(&reader)
    let calls = try flag(&reader) ? try calls(&reader, images: images) : nil
    var trace = FleetTrace(
      id: id, run: run, process: process, forkedFrom: forkedFrom.isEmpty ? nil : forkedFrom,
      family: family, host: host, labels: labels, startedAt: startedAt, seconds: seconds,
      readyAfter: readyAfter < 0 ? nil : readyAfter, countsRun: countsRun, losses: losses,
      images: images, program: program, callCount: callCount, calls: calls)
    if reader.at < end { trace.stages = try stages(&reader) }
    guard trace.seriesCount <= TraceLimits.series else {
      throw reader.failure("\(trace.seriesCount) builds and days in one trace")
    }
    return trace
  }

  private static func stages(
    _ reader: inout ByteReader
  ) throws(Failure) -> [LaunchStage.Kind: Double] {
    var stages: [LaunchStage.Kind: Double] = [:]
    for _ in 0..<(try reader.count(ofSize: 9, called: "stages")) {
      let name = try reader.text(limit: textLimit, called: "stage")
      let seconds = try reader.double(called: "length of a stage")
      guard seconds >= 0 else { throw reader.failure("a time is negative") }
      // Stages that only a newer version knows are not counted.
      if let kind = LaunchStage.Kind(rawValue: name) { stages[kind] = seconds }
    }
    return stages
  }

  private static func image(
    _ reader: inout ByteReader, hasSets: Bool, _ budget: inout TraceBudget
  ) throws(Failure) -> FleetImage {
    let text = try reader.text(limit: 200, called: "build id")
    guard let buildID = BuildID(text) else { throw reader.failure("\"\(text)\" is not a build id") }
    let number = try reader.number()
    guard let recorder = Recorder(number: number) else {
      throw reader.failure("\(number) is no recorder")
    }
    let name = try reader.text(limit: textLimit, called: "image name")
    let flags = try reader.number()
    let guardCount = try small(&reader)
    guard guardCount <= TraceLimits.guards, flags < 8 else {
      throw reader.failure("\(guardCount) guards")
    }
    var seen: [SeenGuards] = []
    let seenCount = try reader.count(ofSize: 9, called: "hours")
    guard budget.takeHours(seenCount) else { throw reader.failure("too many hours in one trace") }
    for _ in 0..<seenCount {
      let time = try reader.double(called: "time of a first call")
      let isSet = hasSets ? try flag(&reader) : false
      let guards: GuardSelection =
        isSet
        ? .bits(try reader.set(below: guardCount, called: "guards"))
        : .list(try reader.rising(below: guardCount, called: "guards"))
      guard budget.takeFirstCalls(guards.count) else {
        throw reader.failure("too many first calls in one trace")
      }
      seen.append(SeenGuards(time: time, guards: guards))
    }
    let new = try reader.rising(below: guardCount, called: "guards")
    guard budget.takeNewGuards(new.count) else {
      throw reader.failure("too many first calls in one trace")
    }
    var newOnHost: [HostFirst] = []
    newOnHost.reserveCapacity(new.count)
    for guardIndex in new {
      newOnHost.append(HostFirst(guardIndex: guardIndex, caller: try reader.number()))
    }
    return FleetImage(
      build: BuildKey(buildID: buildID, recorder: recorder), name: name,
      isExecutable: flags & 1 != 0, guardCount: guardCount, countsRun: flags & 2 != 0,
      countsHost: flags & 4 != 0, seen: seen, newOnHost: newOnHost)
  }

  private static func calls(
    _ reader: inout ByteReader, images: [FleetImage]
  ) throws(Failure) -> [RecordedCall] {
    var threads: [UInt32] = []
    let threadCount = try reader.count(ofSize: 1, called: "threads")
    for _ in 0..<threadCount {
      threads.append(UInt32(truncatingIfNeeded: try reader.number()))
    }
    let count = try reader.count(ofSize: 4, called: "first calls")
    guard count <= TraceLimits.firstCalls else {
      throw reader.failure("\(count) first calls in one trace")
    }
    var calls: [RecordedCall] = []
    calls.reserveCapacity(count)
    var lastGuard: Int64 = 0
    var lastTime: UInt64 = 0
    for _ in 0..<count {
      let image = try reader.number()
      let zigzag = try reader.number()
      let place = try reader.number()
      let time = lastTime &+ (try reader.number())
      let guardIndex =
        lastGuard &+ (Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
      guard image < UInt64(images.count), place < UInt64(threads.count), time >= lastTime,
        time <= UInt64(Int64.max),
        guardIndex >= 0, guardIndex < Int64(images[Int(image)].guardCount)
      else { throw reader.failure("a first call refers to an unknown image or thread") }
      calls.append(
        RecordedCall(
          build: Int32(image), guardIndex: UInt32(guardIndex), thread: threads[Int(place)],
          time: time))
      lastGuard = guardIndex
      lastTime = time
    }
    return calls
  }

  private static func flag(_ reader: inout ByteReader) throws(Failure) -> Bool {
    let value = try reader.number()
    guard value <= 1 else { throw reader.failure("\(value) where 0 or 1 was expected") }
    return value == 1
  }

  private static func small(_ reader: inout ByteReader) throws(Failure) -> Int {
    let value = try reader.number()
    guard value <= UInt64(UInt32.max) else { throw reader.failure("\(value) is too many") }
    return Int(value)
  }
}
