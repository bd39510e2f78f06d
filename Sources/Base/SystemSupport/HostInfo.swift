import FirstlightModel
import Glibc

/// Describes the local machine.
package enum HostInfo {
  package static func describe() -> Host {
    var names = utsname()
    uname(&names)
    return Host(
      name: text(names.nodename), kernel: "\(text(names.sysname)) \(text(names.release))",
      architecture: text(names.machine), processor: ProcessorInfo.modelName,
      cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  /// The machine's network name.
  package static var name: String {
    var names = utsname()
    uname(&names)
    return text(names.nodename)
  }

  /// Bytes.
  package static var pageSize: UInt32 { UInt32(clamping: sysconf(Int32(_SC_PAGESIZE))) }

  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// Facts about the first processor from /proc/cpuinfo.
package enum ProcessorInfo {
  /// The maker's name for it; empty if unknown.
  package static var modelName: String { value("model name") ?? "" }

  /// Feature flags such as `avx2`.
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
