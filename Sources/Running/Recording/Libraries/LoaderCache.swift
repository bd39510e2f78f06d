import Glibc
import SystemSupport

/// The loader's cache of library paths (`/etc/ld.so.cache`, written by ldconfig), in the format of
/// glibc 2.2 and later (`sysdeps/generic/dl-cache.h`). Its contents are untrusted.
struct LoaderCache {
  /// By name, best first.
  private var paths: [String: [(capability: String, path: String)]] = [:]

  /// Empty if there is no readable cache.
  init(path: String = "/etc/ld.so.cache", architecture: String) {
    guard let bytes = ProcFile.bytes(path) else { return }
    // FLAG_ELF_LIBC6 with the machine's kind of library.
    let kind: UInt32 = architecture == "aarch64" ? 0x0a03 : 0x0303
    bytes.withUnsafeBytes { read($0, kind: kind) }
  }

  /// Paths of libraries with this name, in the cache's order: those for special processors first.
  func paths(_ name: String, capabilities: [String]) -> [String] {
    let found = paths[name] ?? []
    return capabilities.flatMap { wanted in found.filter { $0.capability == wanted } }.map(\.path)
      + found.filter { $0.capability.isEmpty }.map(\.path)
  }

  private mutating func read(_ all: UnsafeRawBufferPointer, kind: UInt32) {
    // A cache in the old format may precede it: 16 bytes of header and entries of 12 bytes.
    var start = 0
    if Self.text(all, 0).hasPrefix("ld.so-1.7.0"), let count = Self.number(all, 12) {
      start = (16 + Int(count) * 12 + 7) / 8 * 8
    }
    guard start < all.count else { return }
    let cache = UnsafeRawBufferPointer(rebasing: all[start...])
    let magic = "glibc-ld.so.cache1.1"
    guard cache.count > 48, cache.prefix(magic.utf8.count).elementsEqual(magic.utf8),
      let count = Self.number(cache, 20)
    else { return }
    let capabilities = Self.capabilities(cache)
    for index in 0..<min(Int(count), (cache.count - 48) / 24) {
      let entry = 48 + index * 24
      guard let flags = Self.number(cache, entry), flags & 0xffff == kind,
        let key = Self.number(cache, entry + 4), let value = Self.number(cache, entry + 8),
        let low = Self.number(cache, entry + 16), let high = Self.number(cache, entry + 20)
      else { continue }
      // Bit 62: the low half is the number of a glibc-hwcaps folder. Older kinds are skipped.
      var capability = ""
      if high & 0x4000_0000 != 0 {
        guard Int(low) < capabilities.count else { continue }
        capability = capabilities[Int(low)]
      } else if low != 0 || high != 0 {
        continue
      }
      paths[Self.text(cache, Int(key)), default: []].append(
        (capability, Self.text(cache, Int(value))))
    }
  }

  /// Names of glibc-hwcaps folders, from section 1 of the extensions, whose offset is in the header.
  private static func capabilities(_ cache: UnsafeRawBufferPointer) -> [String] {
    guard let place = number(cache, 32), place > 0,
      number(cache, Int(place)) == 0xeaa4_2174, let count = number(cache, Int(place) + 4)
    else { return [] }
    for index in 0..<min(Int(count), 16) {
      let section = Int(place) + 8 + index * 16
      guard number(cache, section) == 1, let offset = number(cache, section + 8),
        let size = number(cache, section + 12)
      else { continue }
      return (0..<min(Int(size) / 4, 64)).map {
        text(cache, Int(number(cache, Int(offset) + $0 * 4) ?? .max))
      }
    }
    return []
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32? {
    guard offset >= 0, offset <= bytes.count - 4 else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  private static func text(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> String {
    guard offset >= 0, offset < bytes.count else { return "" }
    return String(decoding: bytes[offset...].prefix(4096).prefix { $0 != 0 }, as: UTF8.self)
  }
}
