import DebugInfo
import FirstlightModel
import FleetModel
import Glibc
import SystemSupport
import WorkerSandbox

/// The limits of a worker for files of a certain size.
///
/// They are small enough to end a small malicious file soon, and several times the needs of real
/// builds; Documentation/Fleet.md has the figures.
struct WorkerLimits: Hashable, Sendable {
  /// Private writable memory, bytes.
  var memory: Int
  /// CPU time.
  var seconds: Int
  /// Wall time, since a busy machine may give a worker little CPU time.
  var wallSeconds: Int
  /// Size of the answer.
  var answerBytes: Int
  /// Functions, names and symbols in the answer.
  var rows: Int

  /// - Parameters:
  ///   - fileBytes: total size of the files that are read.
  ///   - memoryCap: maximum memory for any file.
  init(fileBytes: Int, memoryCap: Int) {
    let megabytes = min(max(0, fileBytes), 1 << 40) >> 20
    memory = min(memoryCap, (192 + 6 * megabytes) << 20)
    seconds = 2 + megabytes / 4
    wallSeconds = 20 + 4 * seconds
    answerBytes = min(256 << 20, (4 + 2 * megabytes) << 20)
    // Each row has at least 16 bytes of code or of the symbol table.
    rows = min(4_000_000, 10_000 + fileBytes / 16)
  }
}
