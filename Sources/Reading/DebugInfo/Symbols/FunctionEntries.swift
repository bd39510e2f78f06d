import FirstlightModel

/// The start addresses of an image's functions, where breakpoints may be written.
///
/// Each address is the first byte of an instruction of a function, in an executable section.
/// Excluded are
/// - resolvers of STT_GNU_IFUNC, and the sections of the PLT: the linker made them;
/// - symbols without type or size that lie within another function: labels;
/// - Firstlight's own runtime, which has a section to itself;
/// - function symbols that lie outside executable sections.
package struct FunctionEntries: Sendable {
  /// Link-time addresses, rising, without duplicates.
  package var addresses: [UInt64]
  /// Number of addresses without symbol; these come from `.eh_frame`.
  package var unnamed: Int

  init(_ image: DebugImage) {
    let named = Self.named(image)
    guard !image.hasLocalSymbols else {
      addresses = named
      unnamed = 0
      return
    }
    // A stripped file still has the names for dynamic linking, and the unwind tables.
    let code = CodeSections(image.elf)
    var all = Set(named)
    for entry in FrameDescriptions.read(image.elf) where code.contains(entry.start) {
      all.insert(entry.start)
    }
    let symbols = image.symbols
    addresses = all.filter { address in
      !symbols.indices(at: address).contains {
        symbols.entries[$0].kind == .indirect
      }
    }.sorted()
    unnamed = addresses.count - named.count
  }

  private static func named(_ image: DebugImage) -> [UInt64] {
    let code = CodeSections(image.elf)
    let entries = image.symbols.entries
    var addresses: [UInt64] = []
    var at = 0
    // The end of the function that reaches furthest so far.
    var covered: UInt64 = 0
    while at < entries.count {
      let address = entries[at].address
      var isFunction = false
      var isIndirect = false
      var size: UInt64 = 0
      while at < entries.count, entries[at].address == address {
        switch entries[at].kind {
        case .function: isFunction = true
        case .indirect: isIndirect = true
        default: break
        }
        size = max(size, entries[at].size)
        at += 1
      }
      let isLabel = size == 0 && address < covered
      covered = max(covered, address &+ size)
      if isFunction, !isIndirect, !isLabel, code.contains(address) { addresses.append(address) }
    }
    return addresses
  }
}

/// The sections that contain functions.
private struct CodeSections {
  private let ranges: [Range<UInt64>]

  init(_ elf: ELFFile) {
    ranges = elf.sections.compactMap { section in
      guard section.isExecutable, section.hasContents, section.address < section.end,
        !section.name.begins(with: ".plt"), !section.name.begins(with: ".iplt"),
        section.name != "firstlight_runtime"
      else { return nil }
      return section.address..<section.end
    }
  }

  func contains(_ address: UInt64) -> Bool { ranges.contains { $0.contains(address) } }
}
