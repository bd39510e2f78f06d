/// One ELF file mapped into one process, as the runtime recorded it.
package struct Image: Hashable, Sendable {
  /// Nil if the image was linked without a build id.
  package var buildID: BuildID?
  /// The file's path when the process ran.
  package var path: String
  /// Run-time address minus link-time address.
  package var loadBias: UInt64
  package var recorder: Recorder
  /// Number of guards, or of indices of functions.
  package var guardCount: Int
  /// Link-time address of the first guard, or of the table of functions, for matching a file that has no build id.
  package var guardsStart: UInt64
  /// First calls this image could not record.
  package var drops: Int
  /// The compiler's counters; nil if the process left none that can be read.
  package var counters: CountedRecords?
  /// How a watcher recorded it; nil if the process recorded itself.
  package var watch: ImageWatch?

  package init(
    buildID: BuildID?, path: String, loadBias: UInt64, guardCount: Int, guardsStart: UInt64,
    drops: Int, recorder: Recorder = .guards
  ) {
    self.buildID = buildID
    self.recorder = recorder
    self.path = path
    self.loadBias = loadBias
    self.guardCount = guardCount
    self.guardsStart = guardsStart
    self.drops = drops
  }
}

/// The functions that one process counted in one image.
package struct CountedRecords: Hashable, Sendable {
  /// Number of functions with a counter.
  package var count: Int
  /// Record r is bit r % 64 of word r / 64, and set if its function ran.
  package var words: [UInt64]

  package init(count: Int) {
    self.count = count
    words = [UInt64](repeating: 0, count: (count + 63) / 64)
  }

  package mutating func note(_ record: Int) { words[record >> 6] |= 1 << UInt64(record & 63) }

  package func contains(_ record: Int) -> Bool {
    words[record >> 6] >> UInt64(record & 63) & 1 != 0
  }

  /// Adds another process's counters of the same build.
  package mutating func formUnion(_ other: CountedRecords) {
    for (place, word) in other.words.enumerated() { words[place] |= word }
  }
}

/// What a watcher could see of one image in one process.
package struct ImageWatch: Hashable, Sendable {
  /// CLOCK_MONOTONIC from which all functions without a gap were watched, nanoseconds. 0: from the image's first
  /// instruction; `.max`: never all of them.
  package var since: UInt64
  /// Indices of functions that may have been called unseen.
  package var gaps: [Range<UInt32>]
  /// Whether the image has no symbols, and is of use only if no other was watched.
  package var isSpare: Bool
  /// Whether the process's start shows nothing of what others did here before the image was watched: they were started
  /// otherwise.
  package var standsAlone: Bool

  package init(
    since: UInt64, gaps: [Range<UInt32>], isSpare: Bool, standsAlone: Bool = false
  ) {
    self.since = since
    self.gaps = gaps
    self.isSpare = isSpare
    self.standsAlone = standsAlone
  }
}
