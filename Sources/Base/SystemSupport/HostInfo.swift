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

  /// The GNU C library that runs this program; nil if it is another library.
  package static let glibc: GlibcVersion? = {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      confstr(CInt(_CS_GNU_LIBC_VERSION), text.baseAddress, text.count) > 0
        ? String(cString: text.baseAddress!) : ""
    }
    // "glibc 2.36"
    return text.split(at: " ").last.flatMap { GlibcVersion($0) }
  }()

  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// Facts about the first processor from /proc/cpuinfo.
enum ProcessorInfo {
  /// The maker's name for it; empty if unknown.
  static var modelName: String { value("model name") ?? "" }

  private static func value(_ name: String) -> String? {
    guard let line = ProcFile.line(of: "/proc/cpuinfo", beginning: name),
      let colon = line.firstIndex(ofUTF8: ":")
    else { return nil }
    return String(line[colon...].dropFirst().drop(any: " "))
  }
}
