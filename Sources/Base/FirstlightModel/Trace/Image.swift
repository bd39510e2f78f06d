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
  /// Path of the file with the compiler's counters; nil if the process left none.
  package var counters: String?

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
