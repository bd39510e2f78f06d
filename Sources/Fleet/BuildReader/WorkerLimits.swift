/// What a worker may take to read files of a certain size.
///
/// Little enough that a small file made to do harm ends soon, and several times what honest builds take;
/// Documentation/Fleet.md has both in figures.
struct WorkerLimits: Hashable, Sendable {
  /// Bytes of private writable memory.
  var memory: Int
  /// Of processor time.
  var seconds: Int
  /// On the clock, as a busy machine may give a worker little of a processor.
  var wallSeconds: Int
  /// Of the answer.
  var answerBytes: Int
  /// Functions, names and symbols in the answer.
  var rows: Int

  /// - Parameters:
  ///   - fileBytes: of all files that are read at once.
  ///   - memoryCap: the most memory for any file.
  init(fileBytes: Int, memoryCap: Int) {
    let megabytes = min(max(0, fileBytes), 1 << 40) >> 20
    memory = min(memoryCap, (192 + 6 * megabytes) << 20)
    seconds = 2 + megabytes / 4
    wallSeconds = 20 + 4 * seconds
    answerBytes = min(256 << 20, (4 + 2 * megabytes) << 20)
    // Each has 16 bytes of code or of the symbol table at least.
    rows = min(4_000_000, 10_000 + fileBytes / 16)
  }
}
