import FirstlightModel

/// How the file is loaded and started.
extension ELFFile {
  /// Link-time address of the first instruction (`e_entry`); 0 for most libraries.
  package var entryPoint: UInt64 { file.bytes.load(24, as: UInt64.self) ?? 0 }

  /// Whether a dynamic loader maps the program and its libraries.
  package var hasInterpreter: Bool { segments.contains { $0.type == ELFSegment.interpreter } }

  /// The names of the libraries that the loader loads for the file.
  package var neededLibraries: [String] { DynamicReader.needed(self) }

  /// Relocations that the loader or the program itself applies at start-up.
  package var relocationFacts: RelocationFacts { RelocationReader.facts(self) }

  /// Whether processes of the program may copy their code to huge pages, as node and Intel's library iodlr do: the
  /// copying function has a section of its own.
  package var mayMoveItsCode: Bool { section("lpstub") != nil || section(".lpstub") != nil }

  /// Whether some of the code was written in Swift.
  package var hasSwiftCode: Bool {
    section("swift5_reflstr") != nil || section("swift5_types") != nil
  }

  /// The lowest address of code in executable segments and one past the highest.
  package var codeRange: Range<UInt64> {
    range { $0.isExecutable }
  }

  /// The range of all loaded link-time addresses.
  package var loadedRange: Range<UInt64> { range { _ in true } }

  private func range(of isWanted: (ELFSegment) -> Bool) -> Range<UInt64> {
    var low = UInt64.max
    var high: UInt64 = 0
    for segment in segments where segment.type == ELFSegment.load && isWanted(segment) {
      let (end, overflow) = segment.address.addingReportingOverflow(segment.memorySize)
      guard !overflow else { continue }
      low = min(low, segment.address)
      high = max(high, end)
    }
    return low < high ? low..<high : 0..<0
  }

  /// The file offset of the contents at a link-time address; nil if the file does not have them.
  func fileOffset(of address: UInt64) -> UInt64? {
    for segment in segments where segment.type == ELFSegment.load {
      let place = address &- segment.address
      if address >= segment.address, place < segment.fileSize { return segment.offset &+ place }
    }
    return nil
  }

  /// The contents of a section; nil if the file has none of this name.
  package func bytes(ofSection name: String) -> [UInt8]? {
    section(name).map { section in
      let contents = contents(section)
      return Array(UnsafeRawBufferPointer(start: contents.base, count: contents.count))
    }
  }

  /// The name of the section at a link-time address; empty if there is none.
  package func sectionName(at address: UInt64) -> String {
    sections.first {
      $0.isAllocated && $0.size > 0 && address >= $0.address && address - $0.address < $0.size
    }?.name ?? ""
  }

  /// Link-time address of a dynamic symbol, function or object.
  package func dynamicSymbol(named wanted: String) -> UInt64? {
    guard let table = dynamicSymbols else { return nil }
    return table.dropFirst().first {
      $0.isDefined && table.name($0)?.text == wanted
    }?.value
  }
}
