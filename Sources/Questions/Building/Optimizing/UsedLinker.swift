import DebugInfo
import FirstlightModel
import SystemSupport

/// The lld that linked a binary, according to its `.comment`.
struct UsedLinker {
  /// "LLD 14.0.6".
  let version: String

  init?(of binary: String) {
    guard
      let section = (try? DebugImage(path: binary, debugDirectories: []).facts())?
        .section(".comment"),
      let file = try? RegularFile(path: binary, followsLinks: true),
      let bytes = try? file.bytes(
        count: Int(min(section.size, 1 << 16)), at: Int(clamping: section.offset)),
      let version = Self.version(in: String(decoding: bytes, as: UTF8.self))
    else { return nil }
    self.version = version
  }

  private static func version(in text: String) -> String? {
    text.firstMatch(of: /LLD [0-9]+\.[0-9.]*[0-9]/).map { String($0.0) }
  }
}
