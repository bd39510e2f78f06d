import FirstlightModel

/// One process's first calls in order, as a host sends them for a sample: guard numbers, without names or source.
/// The rows of the host have the sums of the process (`StateTally`).
package struct FleetTrace: Hashable, Sendable {
  /// The run's id: the run is a process with all its forks, or a recording of `firstlight record`.
  package var run: String
  /// `ProcessID` as text.
  package var process: String
  /// The recorded process that forked this one.
  package var forkedFrom: String?
  /// The first process of its family; the process itself if it was started by exec.
  package var root: String
  /// Permanent identity of the host that reveals nothing else about it.
  package var host: String
  package var labels = FleetLabels()
  /// Seconds since 1970.
  package var startedAt: Double
  /// Contribution to its run's recorded time, seconds; the run's time extends from the start of its
  /// first process to the end of its last.
  package var seconds: Double
  /// Seconds from `startedAt` until the program reported readiness.
  package var readyAfter: Double?
  package var losses = Losses()
  /// The images that the process loaded.
  package var images: [FleetImage]
  /// Index of the program in `images`; the executable, if it has guards.
  package var program: Int
  /// In order; `build` is an index into `images`.
  package var calls: [RecordedCall]
}

extension FleetTrace {
  /// No sender chooses the identity of a trace, or its place in the sample: both follow from what it is a trace of.
  package var id: TraceID { TraceID(run: run, process: process) }

  /// The smallest are sampled.
  package var family: UInt64 { FamilyHash.of(run: run, root: root) }

  /// - Parameter seconds: the process's contribution to its run's recorded time.
  /// - Returns: nil if its calls were not read.
  package init?(_ process: ObservedProcess, labels: FleetLabels, seconds: Double) {
    guard let calls = process.calls else { return nil }
    self.init(
      run: process.run, process: process.process, forkedFrom: process.forkedFrom,
      root: process.root, host: process.host, labels: labels, startedAt: process.startedAt,
      seconds: seconds,
      readyAfter: process.readyAfter, losses: process.losses,
      images: process.images.filter { !$0.isCounted }.map {
        FleetImage(
          build: $0.build, name: $0.name, isExecutable: $0.isExecutable, guardCount: $0.guardCount)
      }, program: process.program, calls: calls)
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
        images[place].name.split(at: "/").last.map(String.init) ?? ""
    }
    return trace
  }

  /// How the trace contradicts itself; nil if it does not.
  package var contradiction: String? {
    if images.isEmpty { return "loaded no image" }
    var guards: [BuildKey: Int] = [:]
    for image in images {
      if let known = guards.updateValue(image.guardCount, forKey: image.build),
        known != image.guardCount
      {
        return "\(image.name) (build id \(image.build.buildID.short)) has \(image.guardCount) "
          + "guards in this trace, and \(known)"
      }
    }
    return nil
  }

  /// Bytes of memory for one unit of `answerWeight`.
  package static let callBytes = 64

  /// The trace's share of an answer: its first calls plus its other memory, counted in calls.
  package var answerWeight: Int { 16 + calls.count + 16 * images.count }
}

/// A build that a process loaded.
package struct FleetImage: Hashable, Sendable {
  package var build: BuildKey
  /// The file's name; on the host itself, its path.
  package var name: String
  package var isExecutable: Bool
  package var guardCount: Int
}
