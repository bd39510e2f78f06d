import FleetModel
import SystemSupport

/// A name for this machine that stays, and tells nothing else of it.
package enum HostID {
  /// Made from /etc/machine-id (machine-id(5)), which itself must not be given away; without one, from
  /// the host's name.
  package static func ofThisMachine() -> String {
    let id = ProcFile.line(of: "/etc/machine-id", beginning: "") ?? ""
    return TraceID(run: "firstlight host", process: id.isEmpty ? HostInfo.name : id).description
  }
}
