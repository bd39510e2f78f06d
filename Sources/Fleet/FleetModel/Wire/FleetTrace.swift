import FirstlightModel

/// One process's evidence: numbers of guards, no names and no source.
///
/// It is made once, on the host, which alone sees all processes of a run and all runs of the host. So
/// it says what each of its first calls adds to the host's sums. It travels only as part of a sample, for
/// the order of its calls (`asSample()`).
package struct FleetTrace: Hashable, Sendable {
  package var id: TraceID
  /// The run's id: a process and all that were forked from it, or what `firstlight record` recorded.
  package var run: String
  /// `ProcessID` as text.
  package var process: String
  /// The recording process it was forked from.
  package var forkedFrom: String?
  /// `FamilyHash`; the smallest are sampled.
  package var family: UInt64
  /// Names the host for good, and says nothing else of it.
  package var host: String
  package var labels: FleetLabels
  /// Seconds since 1970.
  package var startedAt: Double
  /// What it adds to the time in which its run was watched, seconds: from the start of the run's first
  /// process to the end of its last.
  package var seconds: Double
  /// Seconds from `startedAt` until the program reported readiness.
  package var readyAfter: Double?
  /// Seconds of each stage of its start-up, of a start that was watched from outside; empty: none was.
  package var stages: [LaunchStage.Kind: Double] = [:]
  /// Whether it is the first of its run's processes to be counted.
  package var countsRun: Bool
  package var losses: Losses
  /// The images it loaded.
  package var images: [FleetImage]
  /// Which of `images` is the program; the executable, if that has guards.
  package var program: Int
  /// How many first calls it made.
  package var callCount: Int
  /// In order, each with its place in `images` as `build`; nil if this trace is not for the sample.
  package var calls: [RecordedCall]?

  package init(
    id: TraceID, run: String, process: String, forkedFrom: String? = nil, family: UInt64,
    host: String, labels: FleetLabels = FleetLabels(), startedAt: Double, seconds: Double,
    readyAfter: Double? = nil, countsRun: Bool, losses: Losses = Losses(), images: [FleetImage],
    program: Int, callCount: Int, calls: [RecordedCall]?
  ) {
    self.id = id
    self.run = run
    self.process = process
    self.forkedFrom = forkedFrom
    self.family = family
    self.host = host
    self.labels = labels
    self.startedAt = startedAt
    self.seconds = seconds
    self.readyAfter = readyAfter
    self.countsRun = countsRun
    self.losses = losses
    self.images = images
    self.program = program
    self.callCount = callCount
    self.calls = calls
  }

  /// The image of the program; nil if the trace names none of its images.
  package var programImage: FleetImage? {
    images.indices.contains(program) ? images[program] : nil
  }

  /// The same with the names of its images' files only: where they lie is no business of another host.
  package func withoutPaths() -> FleetTrace {
    var trace = self
    for place in images.indices {
      trace.images[place].name =
        images[place].name.split(separator: "/").last.map(String.init) ?? ""
    }
    return trace
  }
}

/// What one process adds to what is known of one build.
package struct FleetImage: Hashable, Sendable {
  package var build: BuildKey
  /// The file's name; on the host where it ran, its path.
  package var name: String
  package var isExecutable: Bool
  package var guardCount: Int
  /// Whether no other process of the run that was counted had loaded it.
  package var countsRun: Bool
  /// Whether no run of the host had loaded it under these labels.
  package var countsHost: Bool
  /// What it called and no other process of its run that was counted, in the order of time.
  package var seen: [SeenGuards]
  /// Those of them that no run of the host had called under these labels; sorted by guard.
  package var newOnHost: [HostFirst]
}

/// Guards whose first calls came within one hour.
package struct SeenGuards: Hashable, Sendable {
  /// The earliest of them, seconds since 1970: it stands for all.
  package var time: Double
  package var guards: GuardSelection
}

/// A guard's first call on a host.
package struct HostFirst: Hashable, Sendable {
  package var guardIndex: UInt32
  /// Link-time address just after the hook call; 0 if unknown. Tells the shared body of a merged
  /// function.
  package var caller: UInt64
}

/// Traces together, as bytes: what hosts sent, and what ledgers and stores kept, before they held sums.
///
/// "FLB2", the number of traces, then each behind its length in bytes. All numbers are unsigned
/// LEB128 but for times, which are IEEE 754 doubles; guards are differences to the one before, or a bit
/// each where that is shorter. "FLB1", which is still read, has differences only.
package enum FleetBatch {
  /// The most traces of one batch.
  package static let traceLimit = 10_000

  /// What earlier versions wrote; for tests of what reads it.
  package static func encode(_ traces: [FleetTrace]) -> [UInt8] {
    var writer = ByteWriter(bytes: Array(magic))
    writer.number(traces.count)
    for trace in traces {
      let bytes = FleetTraceCoding.encode(trace)
      writer.number(bytes.count)
      writer.bytes.append(contentsOf: bytes)
    }
    return writer.bytes
  }

  /// The traces of a batch that can be added up.
  /// - Throws: `.data` if the bytes are not a batch, or a trace contradicts itself.
  package static func countable(_ bytes: [UInt8]) throws(Failure) -> [FleetTrace] {
    let decoded = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in try decode(bytes) }
    }
    let traces = try decoded.get()
    if let reason = traces.lazy.compactMap(TraceVariants.contradiction).first {
      throw Failure(.data, reason)
    }
    return traces
  }

  /// - Throws: `.data`, naming the offset, if the bytes are not a batch.
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> [FleetTrace] {
    let start = bytes.prefix(magic.count)
    let hasSets = start.elementsEqual(magic)
    guard bytes.count > magic.count, hasSets || start.elementsEqual("FLB1".utf8) else {
      throw Failure(.data, "batch: offset 0: is not a batch of traces")
    }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[magic.count...]))
    let count = try reader.count(ofSize: 8, called: "traces")
    guard count <= traceLimit else {
      throw reader.failure("\(count) traces, at most \(traceLimit) travel together")
    }
    var traces: [FleetTrace] = []
    for _ in 0..<count {
      let length = try reader.count(ofSize: 1, called: "bytes of a trace")
      let end = reader.at + length
      traces.append(try FleetTraceCoding.decode(&reader, end: end, hasSets: hasSets))
      guard reader.at == end else { throw reader.failure("a trace is not as long as it says") }
    }
    guard reader.rest == 0 else { throw reader.failure("goes on after its last trace") }
    return traces
  }

  private static let magic = "FLB2".utf8
}
