import FirstlightModel

/// Encodes a sampled trace.
enum FleetTraceCoding {
  static func encode(_ trace: FleetTrace) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes.reserveCapacity(512 + trace.calls.count * 6)
    writer.text(trace.run)
    writer.text(trace.process)
    writer.text(trace.forkedFrom ?? "")
    writer.text(trace.root)
    writer.text(trace.host)
    writer.text(trace.labels.version)
    writer.text(trace.labels.text)
    writer.double(trace.startedAt)
    writer.double(trace.seconds)
    writer.double(trace.readyAfter ?? -1)
    for loss in [
      trace.losses.drops, trace.losses.uncommitted, trace.losses.lostImages,
      trace.losses.unreadableSegments,
    ] {
      writer.number(min(loss, Int(UInt32.max)))
    }
    writer.number(trace.images.count)
    for image in trace.images { encode(image, to: &writer) }
    writer.number(trace.program)
    encode(trace.calls, to: &writer)
    return writer.bytes
  }

  private static func encode(_ image: FleetImage, to writer: inout ByteWriter) {
    writer.build(image.build)
    writer.text(image.name, limit: TraceLimits.text)
    writer.number(image.isExecutable ? 1 : 0)
    writer.number(image.guardCount)
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

  static func decode(_ reader: inout ByteReader) throws(Failure) -> FleetTrace {
    let run = try reader.text(limit: textLimit, called: "run")
    let process = try reader.text(limit: textLimit, called: "process")
    let forkedFrom = try reader.text(limit: textLimit, called: "parent")
    let root = try reader.text(limit: textLimit, called: "root")
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
    let losses = Losses(
      drops: try small(&reader), uncommitted: try small(&reader), lostImages: try small(&reader),
      unreadableSegments: try small(&reader))
    let imageCount = try reader.count(ofSize: 5, called: "images")
    guard imageCount <= TraceLimits.images else { throw reader.failure("\(imageCount) images") }
    var images: [FleetImage] = []
    for _ in 0..<imageCount { images.append(try image(&reader)) }
    let program = try small(&reader)
    guard program < max(1, imageCount) else { throw reader.failure("no image \(program)") }
    let calls = try calls(&reader, images: images)
    return FleetTrace(
      run: run, process: process, forkedFrom: forkedFrom.isEmpty ? nil : forkedFrom, root: root,
      host: host, labels: labels, startedAt: startedAt, seconds: seconds,
      readyAfter: readyAfter < 0 ? nil : readyAfter, losses: losses, images: images,
      program: program, calls: calls)
  }

  private static func image(_ reader: inout ByteReader) throws(Failure) -> FleetImage {
    let build = try reader.build()
    let name = try reader.text(limit: textLimit, called: "image name")
    let isExecutable = try flag(&reader)
    let guardCount = try small(&reader)
    guard guardCount <= TraceLimits.guards else { throw reader.failure("\(guardCount) guards") }
    return FleetImage(
      build: build, name: name, isExecutable: isExecutable, guardCount: guardCount)
  }

  private static func calls(
    _ reader: inout ByteReader, images: [FleetImage]
  ) throws(Failure) -> [RecordedCall] {
    var threads: [UInt32] = []
    let threadCount = try reader.count(ofSize: 1, called: "threads")
    // Each makes a first call.
    guard threadCount <= TraceLimits.firstCalls else {
      throw reader.failure("\(threadCount) threads in one trace")
    }
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
