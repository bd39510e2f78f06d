import CElfutils
import FirstlightModel

extension DebugImage {
  /// What the file's bytes belong to, by its sections and symbols.
  ///
  /// - Throws: as `facts()`.
  package func contents() throws(Failure) -> BinaryContents {
    let facts = try facts()
    let sections = facts.sections.filter { $0.isInFile && $0.size > 0 }
    var items = SymbolBytes(symbolSections.first ?? [], sections).items
    let code = items.indices.filter { items[$0].isCode }
    for (index, place) in zip(code, places(of: code.map { items[$0].address })) {
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

  init(_ sources: [SymbolSection], _ sections: [BinarySection]) {
    let loaded = sections.enumerated().filter(\.element.isLoaded)
      .sorted { $0.element.address < $1.element.address }
    var candidates = Self.candidates(sources)
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

  private static func candidates(_ sources: [SymbolSection]) -> [Candidate] {
    var candidates: [Candidate] = []
    for source in sources {
      let names = source.nameBytes.terminated
      // Names may share text; this limits their total length in a hostile file.
      var budget = names.count * 4 + source.symbolBytes.count * 4
      for symbol in source.symbolBytes.records(Elf64_Sym.self) {
        let type = symbol.st_info & 15
        // STT_NOTYPE (assembler), STT_OBJECT, STT_FUNC, STT_GNU_IFUNC
        guard [0, 1, 2, 10].contains(type), symbol.st_size > 0, symbol.st_shndx != 0,
          let name = names.cString(Int(symbol.st_name)), !name.isEmpty
        else { continue }
        budget -= name.count
        guard budget >= 0 else { return candidates }
        candidates.append(
          Candidate(
            address: symbol.st_value, size: symbol.st_size, isCode: type != 1,
            isLocal: symbol.st_info >> 4 == 0, number: candidates.count, name: name))
      }
    }
    return candidates
  }
}

/// The direct calls and jumps of machine code, from the start of one symbol's bytes on.
///
/// x86-64: `call rel32` (E8) and `jmp rel32` (E9); aarch64: `bl` and `b`. On x86-64 these bytes may be part of
/// another instruction: a call counts only if it leads to a function's first byte.
private struct DirectCalls {
  private(set) var calls: [BinaryContents.Call] = []

  init(_ elf: ELFFile, _ items: [BinaryContents.Item], _ sections: [BinarySection]) {
    var entries: [UInt64: Int] = [:]
    for (index, item) in items.enumerated() where item.isCode { entries[item.address] = index }
    let isArm = elf.machine == ELFFile.aarch64
    var seen: Set<BinaryContents.Call> = []
    for (index, item) in items.enumerated() where item.isCode {
      let section = sections[item.section]
      let offset = section.offset &+ (item.address &- section.address)
      guard let code = elf.file.bytes.slice(offset, item.size) else { continue }
      for address in isArm ? Self.branches(code, item.address) : Self.jumps(code, item.address) {
        guard let to = entries[address], to != index else { continue }
        seen.insert(BinaryContents.Call(from: index, to: to))
      }
    }
    calls = seen.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  private static func jumps(_ code: Bytes, _ start: UInt64) -> [UInt64] {
    var targets: [UInt64] = []
    var offset = 0
    while offset + 5 <= code.count {
      let byte = (code.base + offset).load(as: UInt8.self)
      if byte == 0xe8 || byte == 0xe9 {
        let distance = (code.base + offset + 1).loadUnaligned(as: Int32.self)
        targets.append(start &+ UInt64(bitPattern: Int64(offset + 5) + Int64(distance)))
      }
      offset += 1
    }
    return targets
  }

  private static func branches(_ code: Bytes, _ start: UInt64) -> [UInt64] {
    stride(from: 0, to: code.count - 3, by: 4).compactMap { offset in
      ArmAddress.ofBranch(
        (code.base + offset).loadUnaligned(as: UInt32.self), at: start &+ UInt64(offset))
    }
  }
}
