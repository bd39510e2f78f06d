import DebugInfo
import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport

/// The lld that linked a binary, according to its `.comment`.
struct UsedLinker {
  /// "LLD 14.0.6".
  let version: String

  init?(of binary: String) {
    guard
      let section = (try? DebugImage(path: binary, debugDirectories: []).facts())?
        .section(".comment"), let file = FileHandle(forReadingAtPath: binary)
    else { return nil }
    defer { try? file.close() }
    try? file.seek(toOffset: section.offset)
    let bytes = (try? file.read(upToCount: Int(min(section.size, 1 << 16)))) ?? Data()
    guard let version = Self.version(in: String(decoding: bytes, as: UTF8.self)) else { return nil }
    self.version = version
  }

  /// The version, with the linker's path if it is the one on PATH.
  var text: String {
    guard let path = try? ProgramPath.find("ld.lld"), Self.version(of: path) == version else {
      return "\(version), another ld.lld than that on PATH"
    }
    return "\(version), \(path)"
  }

  private static func version(of linker: String) -> String? {
    guard let log = try? ProgramLog() else { return nil }
    let shell = ShellCommand("\(ShellText.quoted(linker)) --version", log: log)
    guard (try? shell.run("asking the linker"))?.exitStatus == 0 else { return nil }
    return version(in: log.start(1000))
  }

  private static func version(in text: String) -> String? {
    text.firstMatch(of: /LLD [0-9]+\.[0-9.]*[0-9]/).map { String($0.0) }
  }
}
