import FirstlightModel

/// Reads the conformance records of an image: offsets from their own places to descriptors, of which the
/// runtime compares the protocol first (TargetProtocolConformanceDescriptor of Swift's ABI).
enum ConformanceRecords {
  private static let section = "swift5_protocol_conformances"
  /// The runtime's function that looks a conformance up.
  static let lookup = "swift_conformsToProtocol"
  /// What answers in its place from an index (`CSupport/FirstlightConformances`).
  private static let indexedLookup = "__wrap_" + lookup

  /// nil without records.
  static func facts(_ image: DebugImage) -> ConformanceFacts? {
    let elf = image.elf
    guard let section = elf.section(section), section.size >= 4 else { return nil }
    let contents = elf.contents(section)
    var facts = ConformanceFacts()
    var descriptors: Set<UInt64> = []
    var (descriptorPages, pointerPages): (Set<UInt64>, Set<UInt64>) = ([], [])
    for index in 0..<(contents.count / 4) {
      let place = section.address &+ UInt64(index * 4)
      guard let offset = contents.load(index * 4, as: Int32.self), offset != 0 else { continue }
      let descriptor = target(place, offset)
      facts.records += 1
      descriptors.insert(descriptor)
      descriptorPages.insert(descriptor / PageSize.reported)
      // An odd offset leads to a pointer to the protocol.
      if let proto = elf.fileOffset(of: descriptor)
        .flatMap({ elf.file.bytes.slice($0, 4)?.load(0, as: Int32.self) }), proto & 1 != 0
      {
        pointerPages.insert(target(descriptor, proto & ~1) / PageSize.reported)
      }
    }
    let last = section.address &+ UInt64(max(1, contents.count) - 1)
    facts.recordPages = Int(last / PageSize.reported - section.address / PageSize.reported) + 1
    facts.descriptorPages = descriptorPages.count
    facts.pointerPages = pointerPages.subtracting(descriptorPages).count
    facts.modules = modules(image, descriptors)
    facts.isIndexed = image.symbols.contains(indexedLookup)
    return facts
  }

  private static func target(_ place: UInt64, _ offset: Int32) -> UInt64 {
    place &+ UInt64(bitPattern: Int64(offset))
  }

  /// The linker names of descriptors end with the module: `$s4main6SquareVAA5ShapeAAMc` is "protocol
  /// conformance descriptor for main.Square : main.Shape in main".
  private static func modules(_ image: DebugImage, _ descriptors: Set<UInt64>) -> [TextBytes: Int] {
    var names: [UInt64: String] = [:]
    for table in image.symbolTables where names.isEmpty {
      for symbols in table {
        for symbol in symbols
        where descriptors.contains(symbol.value) && names[symbol.value] == nil {
          guard let name = symbols.name(symbol)?.text,
            SwiftSymbol(name)?.isConformanceDescriptor == true
          else { continue }
          names[symbol.value] = name
        }
      }
    }
    var modules: [TextBytes: Int] = [:]
    for text in Demangler.demangle(Array(names.values)) {
      let words = text.split(at: " ")
      guard words.count > 2, words[words.count - 2] == "in" else { continue }
      modules[String(words.last!), default: 0] += 1
    }
    return modules
  }
}

extension DebugImage {
  /// Whether the program has Swift's static standard library, so that it looks conformances up in itself.
  package var hasOwnConformanceLookups: Bool {
    kind == .executable && symbols.contains(ConformanceRecords.lookup)
  }

  /// Throws `.data` unless the program has the functions of Swift's runtime that an index of conformances calls.
  package func checkConformanceRuntime() throws(Failure) {
    let needed = [
      "swift_conformsToProtocolCommon", "swift_getWitnessTable", "swift_checkMetadataState",
      "swift_enumerateAllMetadataSections", "$sSo19_SwiftStdlibVersionasE7currentABvgZ",
    ]
    for name in needed where !symbols.contains(name) {
      throw Failure(.data, "\(path): its Swift runtime has no \(name)")
    }
  }

  /// nil if the file has no conformance records.
  package var conformances: ConformanceFacts? { ConformanceRecords.facts(self) }
}
