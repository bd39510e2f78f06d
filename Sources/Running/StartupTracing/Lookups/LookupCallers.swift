import DebugInfo
import Glibc
import StartupReport
import SystemSupport

/// Finds the callers with source lines in the stacks of look-ups: code of the program's own build, because
/// the Swift toolchain's libraries come without debug information. Other libraries may have some.
struct LookupCallers {
  private let mappings: [ProcessMapping]

  init(_ mappings: [ProcessMapping]) { self.mappings = mappings }

  /// A caller for each stack; nil: no frame has a line.
  func callers(_ stacks: [[UInt64]]) -> [ConformanceLookups.Caller?] {
    var frames: [UInt64: [ConformanceLookups.Caller]] = [:]
    for (path, addresses) in addressesByFile(Set(stacks.joined())) {
      guard let image = try? DebugImage(path: path), image.hasDebugInfo, image.hasSwiftCode else {
        continue
      }
      let bias = bias(of: path, image)
      let list = Array(addresses)
      // A return address is after its call, perhaps in the next line.
      let table = image.frameTable(for: list.map { $0 &- bias &- 1 }, inlines: true)
      for (index, address) in list.enumerated() {
        frames[address] = table.frames(at: index).compactMap(Self.caller)
      }
    }
    return stacks.map { Self.chosen($0.lazy.flatMap { frames[$0] ?? [] }) }
  }

  /// The innermost caller; one of the package itself is preferred to one of a package it depends on.
  private static func chosen(
    _ frames: some Sequence<ConformanceLookups.Caller>
  ) -> ConformanceLookups.Caller? {
    var first: ConformanceLookups.Caller?
    for frame in frames {
      if !frame.file.contains(".build/checkouts/") { return frame }
      if first == nil { first = frame }
    }
    return first
  }

  private static func caller(_ frame: Frame) -> ConformanceLookups.Caller? {
    guard let place = frame.location, place.line > 0, !place.file.hasPrefix("<") else { return nil }
    return ConformanceLookups.Caller(
      function: Demangler.demangle(frame.function), file: place.file, line: place.line)
  }

  private func addressesByFile(_ addresses: Set<UInt64>) -> [String: Set<UInt64>] {
    var files: [String: Set<UInt64>] = [:]
    for address in addresses {
      guard let mapping = mappings.first(where: { $0.range.contains(address) }) else { continue }
      files[mapping.path, default: []].insert(address)
    }
    return files
  }

  /// Run-time minus link-time addresses.
  private func bias(of path: String, _ image: DebugImage) -> UInt64 {
    let start = mappings.first { $0.path == path }?.range.lowerBound ?? 0
    let pageSize = UInt64(getpagesize())
    return start &- (image.loadedRange.lowerBound & ~(pageSize - 1))
  }
}
