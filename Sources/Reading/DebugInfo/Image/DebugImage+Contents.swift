import FirstlightModel

extension DebugImage {
  /// The sections and symbols that the file's bytes belong to.
  ///
  /// - Throws: as `facts()`.
  package func contents() throws(Failure) -> BinaryContents {
    let facts = try facts()
    let sections = facts.sections.filter { $0.isInFile && $0.size > 0 }
    var items = SymbolBytes(symbolTables.first ?? [], sections).items
    let code = items.indices.filter { items[$0].isCode }
    for (index, place) in zip(code, source.declarations(at: code.map { items[$0].address })) {
      items[index].file = place.isCompilerGenerated ? nil : place.file
    }
    let contents = BinaryContents(
      path: path, fileSize: facts.fileSize, sections: sections, items: items,
      calls: DirectCalls(elf, items, sections).calls, hasLocalSymbols: hasLocalSymbols)
    try checkUnchanged()
    return contents
  }
}

/// The symbols of a file without overlap.
private struct SymbolBytes {
  private(set) var items: [BinaryContents.Item] = []

  private struct Candidate {
    var address: UInt64
    var size: UInt64
    var isCode: Bool
    var isLocal: Bool
    var number: Int
    var name: Bytes
  }

  init(_ tables: [ELFSymbols], _ sections: [BinarySection]) {
    let loaded = sections.enumerated().filter(\.element.isLoaded)
      .sorted { $0.element.address < $1.element.address }
    var candidates = Self.candidates(tables)
    // The larger of two symbols comes first, then the one that other files see.
    candidates.sort {
      if $0.address != $1.address { return $0.address < $1.address }
      if $0.size != $1.size { return $0.size > $1.size }
      return $0.isLocal != $1.isLocal ? $1.isLocal : $0.number < $1.number
    }
    var end: UInt64 = 0
    for candidate in candidates {
      let after = loaded.partitioningIndex { $0.element.address > candidate.address }
      guard after > 0 else { continue }
      let (number, section) = loaded[after - 1]
      let (limit, overflow) = section.address.addingReportingOverflow(section.size)
      let (sum, tooLong) = candidate.address.addingReportingOverflow(candidate.size)
      guard !overflow, !tooLong else { continue }
      let start = max(candidate.address, end)
      let stop = min(sum, limit)
      guard start < stop else { continue }
      end = stop
      items.append(
        BinaryContents.Item(
          name: candidate.name.text, isCode: candidate.isCode && section.isExecutable,
          address: start, size: stop - start, section: number))
    }
  }

  private static func candidates(_ tables: [ELFSymbols]) -> [Candidate] {
    var candidates: [Candidate] = []
    for table in tables {
      for symbol in table where symbol.size > 0 && symbol.isDefined {
        guard [.untyped, .object, .function, .indirect].contains(symbol.kind),
          let name = table.name(symbol)
        else { continue }
        candidates.append(
          Candidate(
            address: symbol.value, size: symbol.size, isCode: symbol.kind != .object,
            isLocal: symbol.binding == .local, number: candidates.count, name: name))
      }
    }
    return candidates
  }
}

/// The direct calls and jumps of machine code, each to a function's first byte.
private struct DirectCalls {
  private(set) var calls: [BinaryContents.Call] = []

  init(_ elf: ELFFile, _ items: [BinaryContents.Item], _ sections: [BinarySection]) {
    var entries: [UInt64: Int] = [:]
    for (index, item) in items.enumerated() where item.isCode { entries[item.address] = index }
    var seen: Set<BinaryContents.Call> = []
    for (index, item) in items.enumerated() where item.isCode {
      let section = sections[item.section]
      let offset = section.offset &+ (item.address &- section.address)
      guard let code = elf.file.bytes.slice(offset, item.size) else { continue }
      CodeReferences(code, at: item.address, elf).visit {
        guard $0.kind == .call || $0.kind == .jump, let to = entries[$0.target] else {
          return false
        }
        if to != index { seen.insert(BinaryContents.Call(from: index, to: to)) }
        return true
      }
    }
    calls = seen.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }
}
