/// The archives of object files that the tools bring along for users' programs.
enum ToolArchive {
  /// The first ELF file in an archive (ar(5)). After the magic, each member has a header of 60 bytes with the
  /// size in decimal at offset 48, and begins at an even offset.
  static func object(in archive: [UInt8]) -> [UInt8]? {
    guard archive.starts(with: "!<arch>\n".utf8) else { return nil }
    var place = 8
    while place + 60 <= archive.count {
      let digits = archive[(place + 48)..<(place + 58)].prefix { $0 != 0x20 }
      guard let size = Int(String(decoding: digits, as: UTF8.self)), size >= 0,
        size <= archive.count - place - 60
      else { return nil }
      let member = archive[(place + 60)..<(place + 60 + size)]
      if member.starts(with: [0x7f, 0x45, 0x4c, 0x46]) { return Array(member) }
      place += 60 + size + size % 2
    }
    return nil
  }
}

extension [UInt8] {
  func firstIndex(of pattern: [UInt8]) -> Int? {
    guard count >= pattern.count else { return nil }
    return (0...(count - pattern.count)).first {
      self[$0] == pattern[0] && self[$0..<$0 + pattern.count].elementsEqual(pattern)
    }
  }
}
