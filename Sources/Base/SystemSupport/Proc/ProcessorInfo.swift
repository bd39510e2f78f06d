/// Facts about the first processor from /proc/cpuinfo.
package enum ProcessorInfo {
  /// As its maker calls it; empty if unknown.
  package static var modelName: String { value("model name") ?? "" }

  /// What it can do beyond the first of its kind, as `avx2`.
  package static var flags: Set<Substring> {
    Set((value("flags") ?? "").split(separator: " "))
  }

  private static func value(_ name: String) -> String? {
    guard let line = ProcFile.line(of: "/proc/cpuinfo", beginning: name),
      let colon = line.firstIndex(of: ":")
    else { return nil }
    return String(line[colon...].dropFirst().drop { $0 == " " })
  }
}
