import FleetModel
import Glibc

/// A name for this machine that stays, and tells nothing else of it.
package enum HostID {
  /// Made from /etc/machine-id (machine-id(5)), which itself must not be given away; without one, from
  /// the host's name.
  package static func ofThisMachine() -> String {
    let id = firstLine(of: "/etc/machine-id") ?? hostName()
    return TraceID(run: "firstlight host", process: id).description
  }

  private static func firstLine(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return nil }
    let text = String(
      decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  private static func hostName() -> String {
    var names = utsname()
    uname(&names)
    return withUnsafeBytes(of: names.nodename) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
