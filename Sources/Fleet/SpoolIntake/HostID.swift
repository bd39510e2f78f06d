import FleetModel
import SystemSupport

/// A lasting name for this machine that reveals nothing else about it.
package enum HostID {
  /// Made from /etc/machine-id (machine-id(5)), which itself must not be given away; without one, from
  /// the host's name.
  package static func ofThisMachine() -> String {
    let id = ProcFile.line(of: "/etc/machine-id", beginning: "") ?? ""
    return TraceID(run: "firstlight host", process: id.isEmpty ? HostInfo.name : id).description
  }
}
