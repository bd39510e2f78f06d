import FirstlightModel

/// One process's evidence: guard numbers, without names or source.
///
/// It is created on the host, the only place that knows all processes of a run and all runs of the
/// host. So it contains the contribution of each first call to the host's sums. It is sent only as
/// part of a sample, for the order of its calls (`asSample()`).
package struct FleetTrace: Hashable, Sendable {
  package var id: TraceID
  /// The run's id: the run is a process with all its forks, or a recording of `firstlight record`.
  package var run: String
  /// `ProcessID` as text.
  package var process: String
  /// The recorded process that forked this one.
  package var forkedFrom: String?
  /// `FamilyHash`; the smallest are sampled.
  package var family: UInt64
  /// Permanent identity of the host that reveals nothing else about it.
  package var host: String
  package var labels: FleetLabels
  /// Seconds since 1970.
  package var startedAt: Double
  /// Contribution to its run's recorded time, seconds; the run's time extends from the start of its
  /// first process to the end of its last.
  package var seconds: Double
  /// Seconds from `startedAt` until the program reported readiness.
  package var readyAfter: Double?
  /// Seconds of each stage of a traced start-up; empty if the start was not traced.
  package var stages: [LaunchStage.Kind: Double] = [:]
  /// Whether this is the first counted process of its run.
  package var countsRun: Bool
  /// Whether the process has ended; false for what a running one has called so far. Samples have ended ones only.
  package var hasEnded = true
  package var losses: Losses
  /// The images that the process loaded.
  package var images: [FleetImage]
  /// Index of the program in `images`; the executable, if it has guards.
  package var program: Int
  /// Number of first calls.
  package var callCount: Int
  /// In order; `build` is an index into `images`. Nil if this trace is not for the sample.
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

  /// The image of the program; nil if the index is invalid.
  package var programImage: FleetImage? {
    images.indices.contains(program) ? images[program] : nil
  }

  /// The same trace with only the file names of its images: their paths must not leave the host.
  package func withoutPaths() -> FleetTrace {
    var trace = self
    for place in images.indices {
      trace.images[place].name =
        images[place].name.split(separator: "/").last.map(String.init) ?? ""
    }
    return trace
  }
}

/// One process's contribution to the evidence of one build.
package struct FleetImage: Hashable, Sendable {
  package var build: BuildKey
  /// The file's name; on the host itself, its path.
  package var name: String
  package var isExecutable: Bool
  package var guardCount: Int
  /// Whether no counted process of the run had loaded the build.
  package var countsRun: Bool
  /// Whether no run of the host had loaded it with these labels.
  package var countsHost: Bool
  /// Called guards that no counted process of the run had called, by time.
  package var seen: [SeenGuards]
  /// Those guards that no run of the host had called with these labels; sorted by guard.
  package var newOnHost: [HostFirst]
}

/// Guards whose first calls happened within one hour.
package struct SeenGuards: Hashable, Sendable {
  /// The earliest first call, seconds since 1970, which represents all.
  package var time: Double
  package var guards: GuardSelection
}

/// A guard's first call on a host.
package struct HostFirst: Hashable, Sendable {
  package var guardIndex: UInt32
  /// Link-time address just after the hook call; 0 if unknown. Identifies the shared body of a
  /// merged function.
  package var caller: UInt64
}

/// The former format of traces: sent by hosts and kept by ledgers and stores before they had sums.
///
/// "FLB2", the number of traces, then each preceded by its length in bytes. All numbers are unsigned
/// LEB128, except times, which are IEEE 754 doubles; guards are differences to the previous one, or a
/// bit each if that is shorter. "FLB1", which is still readable, has only differences.
package enum FleetBatch {
  /// Maximum number of traces in a batch.
  package static let traceLimit = 10_000

  /// Encodes the format of earlier versions, for tests of its readers.
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
