import FirstlightModel

/// Encodes rows for the transfer to a store and for files.
///
/// Numbers are unsigned LEB128, except the recorded time, an IEEE 754 double. Called functions are
/// columns, one after the other, most of them runs of equal bytes, which deflate well:
/// - the function's number, as difference to the previous one
/// - the series' runs that did not call it; 0 for a function that each run calls
/// - its hosts
/// - the hours of the day of its earliest and latest first call in a run
///
/// Callers are those of called functions.
///
/// What only watchers have comes last, and only if there is any: the bounds of `UnseenFunctions`, and counts.
///
/// Encoded data can always be decoded: a number above the limit, as in sums of forged rows, is
/// written as the limit.
enum SeriesStateCoding {
  static func encode(_ state: SeriesState, to writer: inout ByteWriter) {
    encode(state.key, to: &writer)
    writer.number(max(1, state.version.rawValue))
    encode(state.names, to: &writer)
    writer.number(state.isExecutable ? 1 : 0)
    let totals = state.totals
    for (_, path) in SeriesTotals.own { writer.number(clamped(totals[keyPath: path])) }
    writer.double(totals.seconds >= 0 ? min(totals.seconds, TraceLimits.seconds) : 0)
    encode(state.startups, to: &writer)
    let stages = state.stages.histograms.sorted { $0.key.rawValue < $1.key.rawValue }
    writer.number(stages.count)
    for (kind, histogram) in stages {
      writer.text(kind.rawValue)
      encode(histogram, to: &writer)
    }
    encode(state.sums, runs: totals.runs, day: state.key.day, to: &writer)
    let callers = state.callers.sorted { $0.key < $1.key }
    writer.rising(callers.map(\.key))
    for (_, caller) in callers { writer.number(caller) }
    let watched = SeriesTotals.watched.map { clamped(totals[keyPath: $0.path]) }
    if state.unseen.isEmpty, watched.allSatisfy({ $0 == 0 }) { return }
    writer.rising(state.unseen.limited(of: state.key.guardCount).bounds)
    for count in watched { writer.number(count) }
  }

  static func encode(_ key: StateKey, to writer: inout ByteWriter) {
    writer.build(key.build)
    writer.number(key.guardCount)
    writer.number(UInt64(max(0, key.day.number)))
    writer.text(key.labels.version)
    writer.text(key.labels.text)
  }

  private static func encode(_ names: ImageNames, to writer: inout ByteWriter) {
    let paths = names.limited.paths
    writer.number(paths.count)
    for path in paths {
      writer.text(path, limit: TraceLimits.text)
      writer.number(clamped(names.uses[BaseName.of(path)]?.runs ?? 0))
    }
  }

  private static func encode(_ histogram: StartupHistogram, to writer: inout ByteWriter) {
    let counts = histogram.counts.sorted { $0.key < $1.key }
    writer.number(counts.count)
    for (bucket, starts) in counts {
      writer.number(UInt64(max(0, min(bucket, lastBucket))))
      writer.number(clamped(starts))
    }
  }

  private static func encode(
    _ sums: GuardSums, runs: Int, day: FleetDay, to writer: inout ByteWriter
  ) {
    let called = sums.called
    writer.rising(called.map(\.0))
    for (_, sum) in called {
      let more = Int64(clamped(runs) - clamped(sum.runs))
      writer.number(UInt64(bitPattern: more << 1 ^ more >> 63))
    }
    for (_, sum) in called { writer.number(clamped(sum.hosts)) }
    for (_, sum) in called { writer.number(UInt64(hour(of: sum.firstSeen, on: day))) }
    for (_, sum) in called { writer.number(UInt64(hour(of: sum.lastSeen, on: day))) }
  }

  /// The hour of the day, 0 to 23.
  private static func hour(of time: Double, on day: FleetDay) -> Int {
    max(0, min(23, Int(clamping: ((time - day.start) / 3600).rounded(.down))))
  }

  private static func clamped(_ number: Int) -> Int { max(0, min(number, TraceLimits.count)) }

  // MARK: Decoding

  /// Allocates memory for the functions that are present, not for the claimed number.
  /// - Throws: `.data`, naming the offset, if the bytes are not a valid row.
  static func decode(_ reader: inout ByteReader) throws(Failure) -> SeriesState {
    let key = try key(&reader)
    let version = RowVersion(rawValue: try reader.number())
    let names = try names(&reader)
    let isExecutable = try reader.number()
    guard isExecutable <= 1, version > .none else {
      throw reader.failure("a row's head is invalid")
    }
    var totals = SeriesTotals()
    for (_, path) in SeriesTotals.own { totals[keyPath: path] = try count(&reader) }
    totals.seconds = try seconds(&reader)
    var state = SeriesState(
      key: key, version: version, name: "", isExecutable: isExecutable == 1, totals: totals,
      startups: try histogram(&reader))
    state.names = names
    for _ in 0..<(try reader.count(ofSize: 2, called: "stages")) {
      let name = try reader.text(limit: TraceLimits.text, called: "stage")
      let histogram = try histogram(&reader)
      // A newer host may send stages that this version does not know: they are skipped.
      if let kind = LaunchStage.Kind(rawValue: name) { state.stages.histograms[kind] = histogram }
    }
    state.sums = try sums(&reader, of: key, runs: totals.runs)
    state.callers = try callers(&reader, of: state.sums)
    if reader.rest > 0 {
      let bounds = try reader.rising(
        below: 2 * key.guardCount + 1, atMost: 2 * TraceLimits.unseenRanges, called: "bounds")
      guard bounds.count.isMultiple(of: 2) else {
        throw reader.failure("a range of unseen functions has no end")
      }
      state.unseen = UnseenFunctions(bounds: bounds)
      for (_, path) in SeriesTotals.watched { state.totals[keyPath: path] = try count(&reader) }
    }
    return state
  }

  static func key(_ reader: inout ByteReader) throws(Failure) -> StateKey {
    let build = try reader.build()
    let guardCount = try reader.number()
    let day = try reader.number()
    guard guardCount <= UInt64(TraceLimits.guards), day <= UInt64(TraceLimits.day) else {
      throw reader.failure("a row's key is invalid")
    }
    let version = try reader.checkedText(limit: TraceLimits.text, called: "version")
    let labelText = try reader.checkedText(limit: TraceLimits.text, called: "labels")
    guard let labels = FleetLabels(version: version, text: labelText) else {
      throw reader.failure("\"\(labelText)\" are not labels")
    }
    return StateKey(
      series: SeriesKey(
        build: build, day: FleetDay(number: Int32(day)), labels: labels),
      guardCount: Int(guardCount))
  }

  private static func names(_ reader: inout ByteReader) throws(Failure) -> ImageNames {
    let count = try reader.count(ofSize: 2, called: "image names")
    guard count <= ImageNames.limit else { throw reader.failure("\(count) image names") }
    var names = ImageNames()
    for place in 0..<count {
      let path = try reader.checkedText(limit: TraceLimits.text, called: "image name")
      names.add(path, runs: try self.count(&reader))
      guard names.uses.count == place + 1 else {
        throw reader.failure("\"\(path)\" is no new name")
      }
    }
    return names
  }

  private static func histogram(_ reader: inout ByteReader) throws(Failure) -> StartupHistogram {
    var histogram = StartupHistogram()
    for _ in 0..<(try reader.count(ofSize: 2, called: "buckets")) {
      let bucket = try reader.number()
      guard bucket <= lastBucket else { throw reader.failure("there is no bucket \(bucket)") }
      histogram.counts[Int32(bucket)] = try count(&reader)
    }
    return histogram
  }

  private static func sums(
    _ reader: inout ByteReader, of key: StateKey, runs: Int
  ) throws(Failure) -> GuardSums {
    let guards = try reader.rising(
      below: key.guardCount, atMost: TraceLimits.firstCalls, called: "functions")
    // Each function takes at least four more bytes.
    guard guards.count <= reader.rest / 4 else { throw reader.failure("is cut off") }
    var sums = Array(repeating: GuardSum(), count: guards.count)
    for place in sums.indices {
      let zigzag = try reader.number()
      let more = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
      let (calls, isOver) = Int64(runs).subtractingReportingOverflow(more)
      guard !isOver, calls > 0, calls <= Int64(TraceLimits.count) else {
        throw reader.failure("a function that was called in no run")
      }
      sums[place].runs = Int(calls)
    }
    for place in sums.indices { sums[place].hosts = try count(&reader) }
    for place in sums.indices { sums[place].firstSeen = try hour(&reader, on: key.day) }
    for place in sums.indices { sums[place].lastSeen = try hour(&reader, on: key.day) }
    return GuardSums(guardCount: key.guardCount, guards: guards, sums: sums)
  }

  private static func callers(
    _ reader: inout ByteReader, of sums: GuardSums
  ) throws(Failure) -> [UInt32: UInt64] {
    let guards = try reader.rising(
      below: sums.guardCount, atMost: sums.calledCount, called: "callers")
    var called = sums.called.makeIterator()
    var callers: [UInt32: UInt64] = [:]
    callers.reserveCapacity(guards.count)
    for guardIndex in guards {
      var function = called.next()
      while let (index, _) = function, index < guardIndex { function = called.next() }
      guard function?.0 == guardIndex else {
        throw reader.failure("a caller of a function that was not called")
      }
      callers[guardIndex] = try reader.number()
    }
    return callers
  }

  private static func hour(_ reader: inout ByteReader, on day: FleetDay) throws(Failure) -> Double {
    let hour = try reader.number()
    guard hour < 24 else { throw reader.failure("a day has no hour \(hour)") }
    return day.start + Double(hour) * 3600
  }

  /// Last bucket of a histogram.
  private static let lastBucket: Int32 = 1000

  private static func count(_ reader: inout ByteReader) throws(Failure) -> Int {
    let value = try reader.number()
    guard value <= UInt64(TraceLimits.count) else { throw reader.failure("\(value) is too many") }
    return Int(value)
  }

  private static func seconds(_ reader: inout ByteReader) throws(Failure) -> Double {
    let value = Double(bitPattern: try reader.fixed())
    guard value >= 0, value <= TraceLimits.seconds else {
      throw reader.failure("the time watched is invalid")
    }
    return value
  }
}

extension SeriesState {
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    SeriesStateCoding.encode(self, to: &writer)
    return writer.bytes
  }

  /// - Parameter whole: name of the bytes in failures.
  /// - Throws: `.data` if the bytes are not exactly one row.
  package init(
    decoding bytes: UnsafeRawBufferPointer, whole: String = "row"
  ) throws(Failure) {
    var reader = ByteReader(bytes, whole: whole)
    self = try SeriesStateCoding.decode(&reader)
    guard reader.rest == 0 else { throw reader.failure("goes on after its end") }
  }
}

/// Encodes the callers of a build's functions: see `SeriesState.callers`.
package enum CallerCoding {
  package static func encode(_ callers: [UInt32: UInt64]) -> [UInt8] {
    let sorted = callers.sorted { $0.key < $1.key }
    var writer = ByteWriter()
    writer.rising(sorted.map(\.key))
    for (_, caller) in sorted { writer.number(caller) }
    return writer.bytes
  }

  /// - Throws: `.data` if the bytes are no callers.
  package static func decode(_ bytes: some Sequence<UInt8>) throws(Failure) -> [UInt32: UInt64] {
    try ByteReader.read(Array(bytes), whole: "callers") { reader throws(Failure) in
      var callers: [UInt32: UInt64] = [:]
      let guards = try reader.rising(below: TraceLimits.guards, called: "callers")
      callers.reserveCapacity(guards.count)
      for guardIndex in guards { callers[guardIndex] = try reader.number() }
      return callers
    }
  }
}
