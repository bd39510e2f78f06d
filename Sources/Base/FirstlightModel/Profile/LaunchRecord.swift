/// One process's start-up, from exec to ready.
///
/// All times are nanoseconds since the process's `startedAt`, without the recorder's own time.
package struct LaunchRecord: Hashable, Sendable, Codable {
  /// In order, without gap or overlap.
  package var stages: [LaunchStage]
  /// In the order in which they began.
  package var initializers: [InitializerRun]
  /// In the order in which they were mapped; the executable first.
  package var images: [LoadedImage]
  /// Durations of starts with less disturbance than this one; nil if there were none.
  package var typical: TypicalStart?
  /// The factor that scaled the times of the longest stage to starts with few stops; nil if none did.
  package var scale: Double?

  package init(
    stages: [LaunchStage] = [], initializers: [InitializerRun] = [], images: [LoadedImage] = []
  ) {
    self.stages = stages
    self.initializers = initializers
    self.images = images
  }
}

/// The medians of several starts of one program.
package struct TypicalStart: Hashable, Sendable, Codable {
  /// From the request to the end of the start-up, nanoseconds, for untraced starts.
  package var duration: UInt64
  /// Nanoseconds, for starts with recorded stages.
  package var stages: [LaunchStage.Kind: UInt64]

  package init(duration: UInt64, stages: [LaunchStage.Kind: UInt64]) {
    self.duration = duration
    self.stages = stages
  }
}

/// An image of the process and its loading times.
package struct LoadedImage: Hashable, Sendable, Codable {
  package var path: String
  /// Time when the loader began to map the image.
  package var mappedAt: UInt64
  /// Time the loader spent mapping and relocating the image, nanoseconds; nil if unknown.
  package var mapping: UInt64?
  package var relocating: UInt64?
  /// Whether the program loaded the image itself (dlopen), after the loader's work at start-up.
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
