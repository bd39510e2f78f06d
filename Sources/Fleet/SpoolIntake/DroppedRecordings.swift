import FirstlightModel
import FleetModel
import SystemSupport

/// Recordings and other files of one user that were removed.
package struct DroppedRecordings: Sendable, CustomStringConvertible {
  package var user: UInt32
  package var processes = 0
  /// The last removed process.
  var stem = ""
  var path = ""
  /// Files and directories that were no recordings.
  package var others = 0
  /// The last one of these.
  var other = ""

  package var description: String {
    var parts: [String] = []
    if processes > 0 {
      let last = "\(stem): \(path) of user \(user)"
      parts.append(processes == 1 ? last : "\(last), and \(processes - 1) before it")
    }
    if others > 0 {
      let last = "\(other), no recording, of user \(user)"
      parts.append(others == 1 ? last : "\(last), and \(others - 1) before it")
    }
    return parts.joined(separator: "; ")
  }
}
