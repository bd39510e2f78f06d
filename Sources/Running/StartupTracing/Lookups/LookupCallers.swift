import DebugInfo
import StartupReport
import SystemSupport

/// Finds the callers with source lines in the stacks of look-ups: code of the program's own build, because
/// the Swift toolchain's libraries come without debug information. Other libraries may have some.
struct LookupCallers {
  private struct Place: Hashable {
    var path: String
    var address: UInt64
  }

  /// A caller for each stack; nil: no frame has a line.
  static func callers(
    _ stacks: [CopiedStack], mappings: [ProcessMapping]
  ) -> [ConformanceLookups.Caller?] {
    let walker = StackWalker(mappings)
    var addresses: [String: (file: StackWalker.File, list: Set<UInt64>)] = [:]
    let walked = stacks.map { stack in
      walker.addresses(stack).compactMap { file, address -> Place? in
        guard file.image.hasDebugInfo, file.image.hasSwiftCode else { return nil }
        addresses[file.path, default: (file, [])].list.insert(address)
        return Place(path: file.path, address: address)
      }
    }
    var callers: [Place: [ConformanceLookups.Caller]] = [:]
    for (path, (file, list)) in addresses {
      let list = Array(list)
      let table = file.image.frameTable(for: list, inlines: true)
      for (index, address) in list.enumerated() {
        callers[Place(path: path, address: address)] = table.frames(at: index).compactMap(caller)
      }
    }
    return walked.map { chosen($0.lazy.flatMap { callers[$0] ?? [] }) }
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
    guard let place = frame.location, place.line > 0, !place.file.hasPrefix("<"),
      !place.file.hasSuffix("/<compiler-generated>")
    else { return nil }
    return ConformanceLookups.Caller(
      function: Demangler.demangle(frame.function), file: place.file, line: place.line)
  }
}
