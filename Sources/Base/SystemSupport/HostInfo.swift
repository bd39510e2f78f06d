import FirstlightModel
import Glibc

/// Describes the machine we run on.
package enum HostInfo {
  package static func describe() -> Host {
    var names = utsname()
    uname(&names)
    return Host(
      name: text(names.nodename), kernel: "\(text(names.sysname)) \(text(names.release))",
      architecture: text(names.machine), processor: processor(),
      cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  /// Bytes.
  package static var pageSize: UInt32 { UInt32(clamping: sysconf(Int32(_SC_PAGESIZE))) }

  private static func processor() -> String {
    guard let file = fopen("/proc/cpuinfo", "re") else { return "" }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("model name"), let colon = text.firstIndex(of: ":") {
        return String(text[text.index(after: colon)...].drop { $0 == " " }.prefix { $0 != "\n" })
      }
    }
    return ""
  }

  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
