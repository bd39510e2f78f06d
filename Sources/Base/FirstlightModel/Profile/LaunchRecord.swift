/// What was seen of one process's way from exec to the end of its start-up.
///
/// All times are nanoseconds since the process's `startedAt`, without the recorder's own time.
package struct LaunchRecord: Hashable, Sendable, Codable {
  /// In order, without gap or overlap.
  package var stages: [LaunchStage]
  /// In the order in which they began.
  package var initializers: [InitializerRun]
  /// In the order in which they were mapped; the executable first.
  package var images: [LoadedImage]
  /// What starts took that were disturbed less than this one; nil: there were none.
  package var typical: TypicalStart?
  /// How times were made what they would have been without the recorder; nil: nothing is known of it.
  package var correction: TimeCorrection?

  package init(
    stages: [LaunchStage] = [], initializers: [InitializerRun] = [], images: [LoadedImage] = []
  ) {
    self.stages = stages
    self.initializers = initializers
    self.images = images
  }
}

/// What was done to a start's times, as its recorder stopped its threads.
package struct TimeCorrection: Hashable, Sendable, Codable {
  /// Nanoseconds by which one stop makes a time wrong, at most as a rule.
  package var stopError: UInt64
  /// Processors on which the threads' work was laid out again; nil: there was one thread.
  package var processors: Int?
  /// What the time since there was a second thread was multiplied by.
  package var stretch: Double
  /// Nanoseconds of waits whose end was not explained by an event: they may be too long.
  package var unexplainedWaits: UInt64
  /// Whether the start could not be made to last as long as starts that were left alone.
  package var isOff: Bool

  package init(
    stopError: UInt64, processors: Int?, stretch: Double, unexplainedWaits: UInt64, isOff: Bool
  ) {
    self.stopError = stopError
    self.processors = processors
    self.stretch = stretch
    self.unexplainedWaits = unexplainedWaits
    self.isOff = isOff
  }
}

/// The medians of several starts of one program.
package struct TypicalStart: Hashable, Sendable, Codable {
  /// Nanoseconds from the request to the end of the start-up, of starts that were left alone.
  package var duration: UInt64
  /// Nanoseconds, of starts whose stages were watched.
  package var stages: [LaunchStage.Kind: UInt64]

  package init(duration: UInt64, stages: [LaunchStage.Kind: UInt64]) {
    self.duration = duration
    self.stages = stages
  }
}

/// One part of a start-up.
package struct LaunchStage: Hashable, Sendable, Codable {
  package var kind: Kind
  package var start: UInt64
  package var duration: UInt64
  /// Page faults of the process meanwhile.
  package var minorFaults: UInt64
  package var majorFaults: UInt64

  package enum Kind: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// From the request to start the program to its first instruction.
    case exec
    /// The loader finds and maps shared libraries.
    case mapping
    /// The loader relocates images and binds symbols.
    case relocating
    /// Initializers of shared libraries and of the executable, and the C library's work around them.
    case initializers
    /// From the start of `main` to ready, or to the end.
    case main
    /// The parts between the stages that were seen, where those cannot be separated.
    case unknown
  }

  package init(
    kind: Kind, start: UInt64, duration: UInt64, minorFaults: UInt64, majorFaults: UInt64
  ) {
    self.kind = kind
    self.start = start
    self.duration = duration
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
  }
}

/// One initializer that ran (`.preinit_array`, `_init`, `.init_array`).
package struct InitializerRun: Hashable, Sendable, Codable {
  /// Path of its image.
  package var image: String
  /// Linker name; empty if the image has no symbol there.
  package var name: String
  /// Link-time address within its image.
  package var address: UInt64
  /// Kernel thread id.
  package var thread: UInt32
  package var start: UInt64
  /// nil if it did not return.
  package var duration: UInt64?
  package var minorFaults: UInt64
  package var majorFaults: UInt64

  package init(
    image: String, name: String, address: UInt64, thread: UInt32, start: UInt64, duration: UInt64?,
    minorFaults: UInt64, majorFaults: UInt64
  ) {
    self.image = image
    self.name = name
    self.address = address
    self.thread = thread
    self.start = start
    self.duration = duration
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
  }
}

/// An image of the process, and what loading it cost.
package struct LoadedImage: Hashable, Sendable, Codable {
  package var path: String
  /// When the loader began to map it.
  package var mappedAt: UInt64
  /// Nanoseconds the loader spent mapping, and relocating it; nil where unknown.
  package var mapping: UInt64?
  package var relocating: UInt64?
  /// Loaded by the program itself (dlopen), not by the loader at start.
  package var isLoadedLater: Bool

  package init(
    path: String, mappedAt: UInt64, mapping: UInt64?, relocating: UInt64?, isLoadedLater: Bool
  ) {
    self.path = path
    self.mappedAt = mappedAt
    self.mapping = mapping
    self.relocating = relocating
    self.isLoadedLater = isLoadedLater
  }
}
