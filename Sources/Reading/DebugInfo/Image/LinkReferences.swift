import CElfutils
import FirstlightModel

/// References between code and data of a linked file, from the relocations that a linker keeps with
/// `--emit-relocs` (`ld` manual), and from calls without relocation within one section of an object
/// file. A reference is a call, a jump or an address taken.
package struct LinkReferences: Sendable {
  package struct Edge: Hashable, Sendable {
    /// Index into `names`.
    package var from: Int32
    package var to: Int32
    /// Whether a relocation within the source's own bytes says so. Otherwise only bytes look like a call.
    package var isProved: Bool
  }

  /// Linker names of functions, of data and, for places without such a name, of sections.
  package let names: [String]
  /// Number of functions in `names`; they come first.
  package let functionCount: Int
  /// References without duplicates; each leads from one name to a different one, which is a function. Those from a
  /// function whose bytes only look like a call begin at a function, too.
  package let edges: [Edge]
}

extension DebugImage {
  /// Nil if the file was linked without `--emit-relocs`, or is not of x86-64 or aarch64.
  package func linkReferences() -> LinkReferences? {
    LinkReferenceReader(elf, symbols: symbols)?.read()
  }
}

/// Reads `.rela` sections of code and data. They may be damaged: invalid offsets and indices are
/// skipped, and the result is never larger than the file.
private struct LinkReferenceReader {
  private let elf: ELFFile
  private let functions: SymbolTable
  private let values: Records<Elf64_Sym>
  private let tables: [ELFSection]
  private let objects: [DataObject]
  /// By section, the index of its name, after those of functions and data; -1 if unused.
  private var sectionNames: [Int32]
  private var names: [String]
  private var edges: Set<UInt64> = []
  /// Those of bytes that look like a call.
  private var likely: Set<UInt64> = []

  /// A variable or constant.
  private struct DataObject {
    var address: UInt64
    var size: UInt64
    var name: Bytes
  }

  init?(_ elf: ELFFile, symbols: SymbolTable) {
    guard let table = elf.symbolTable else { return nil }
    // These relocations are not loaded, unlike the relocations for the loader.
    tables = elf.sections.filter {
      $0.type == ELFSection.rela && !$0.isAllocated && Int($0.link) == table.symbols.index
        && Int($0.info) < elf.sections.count && elf.sections[Int($0.info)].isAllocated
    }
    guard tables.contains(where: { elf.sections[Int($0.info)].isExecutable }) else { return nil }
    self.elf = elf
    functions = symbols
    values = table.symbolBytes.records(Elf64_Sym.self)
    objects = Self.objects(table)
    names = symbols.entries.indices.map(symbols.name) + objects.map(\.name.text)
    sectionNames = Array(repeating: -1, count: elf.sections.count)
  }

  consuming func read() -> LinkReferences {
    for table in tables where Self.isReference(elf.sections[Int(table.info)].name) {
      read(table, of: elf.sections[Int(table.info)])
    }
    for section in elf.sections where section.hasCode && !section.name.hasPrefix(".plt") {
      scan(section)
    }
    let sorted = edges.union(likely).sorted().map {
      LinkReferences.Edge(
        from: Int32(truncatingIfNeeded: $0 >> 32), to: Int32(truncatingIfNeeded: $0),
        isProved: edges.contains($0))
    }
    return LinkReferences(names: names, functionCount: functions.entries.count, edges: sorted)
  }

  /// Whether the program needs a section's references: tables for unwinders, sanitizers and
  /// profilers refer to every function.
  private static func isReference(_ name: String) -> Bool {
    let others = [
      ".eh_frame", ".gcc_except_table", ".debug", "__sancov", "__llvm_", "__patchable_function",
      "__mcount_loc", ".note", ".stapsdt", ".sframe",
    ]
    return !others.contains { name.hasPrefix($0) }
  }

  private static func objects(_ table: SymbolSection) -> [DataObject] {
    let (symbols, names) = (table.symbolBytes, table.nameBytes.terminated)
    // Names may share text; this limits their total length in a hostile file.
    var budget = names.count * 4 + symbols.count * 4
    var objects: [DataObject] = []
    for symbol in symbols.records(Elf64_Sym.self) {
      // STT_OBJECT
      guard symbol.st_info & 15 == 1, symbol.st_shndx != 0,
        let name = names.cString(Int(symbol.st_name)), !name.isEmpty
      else { continue }
      budget -= name.count
      guard budget >= 0 else { break }
      objects.append(DataObject(address: symbol.st_value, size: symbol.st_size, name: name))
    }
    return objects.sorted { $0.address < $1.address }
  }

  private mutating func read(_ table: ELFSection, of section: ELFSection) {
    for entry in elf.contents(table).records(Elf64_Rela.self) {
      guard
        let target = target(
          symbol: Int(entry.r_info >> 32), entry.r_addend,
          type: UInt32(truncatingIfNeeded: entry.r_info), isCode: section.isExecutable),
        section.address <= entry.r_offset, entry.r_offset < section.end
      else { continue }
      add(from: source(of: entry.r_offset, in: section), to: target)
    }
  }

  /// The function that a relocation refers to: one that starts there. Other places in code are labels.
  private func target(symbol: Int, _ addend: Int64, type: UInt32, isCode: Bool) -> Int? {
    guard symbol > 0, symbol < values.count, type != 0, values[symbol].st_shndx != 0 else {
      return nil
    }
    let value = values[symbol].st_value
    // STT_SECTION
    guard values[symbol].st_info & 15 == 3 else { return functions.indices(at: value).last }
    let isRelative = elf.machine == ELFFile.amd64 && [2, 4, 9, 41, 42].contains(type)
    // Data holds distances from the beginning of a table of labels.
    guard isCode || !isRelative else { return nil }
    // Distances start at the end of the instruction, usually four bytes after the field.
    let address = value &+ UInt64(bitPattern: addend) &+ (isRelative ? 4 : 0)
    return functions.indices(at: address).last
  }

  /// Index of the name around a place: a function, a variable, or else a section.
  private mutating func source(of place: UInt64, in section: ELFSection) -> Int {
    if section.isExecutable {
      if let function = functions.index(containing: place) { return function }
    } else {
      let next = objects.partitioningIndex { $0.address > place }
      if next > 0, place &- objects[next - 1].address < max(1, objects[next - 1].size) {
        return functions.entries.count + next - 1
      }
    }
    if sectionNames[section.index] < 0 {
      sectionNames[section.index] = Int32(names.count)
      names.append(section.name)
    }
    return Int(sectionNames[section.index])
  }

  private mutating func add(from source: Int, to target: Int) {
    if source != target { edges.insert(UInt64(source) << 32 | UInt64(target)) }
  }

  // MARK: Calls without relocation

  /// Assemblers resolve calls to local functions of the same section themselves. Other bytes may look like such a
  /// call that leads to a function's start, by chance.
  private mutating func scan(_ section: ELFSection) {
    let code = elf.contents(section)
    let starts = starts(in: section)
    guard !starts.isEmpty else { return }
    if elf.machine == ELFFile.aarch64 {
      scanWords(code, section, starts)
      return
    }
    var offset = 0
    while offset + 2 <= code.count {
      let byte = (code.base + offset).load(as: UInt8.self)
      // jmp and jcc with a short distance, as in tail calls
      if byte == 0xeb || 0x70...0x7f ~= byte {
        let distance = (code.base + (offset + 1)).load(as: Int8.self)
        let end = section.address &+ UInt64(offset + 2)
        link(
          from: section.address &+ UInt64(offset)..<end,
          to: end &+ UInt64(bitPattern: Int64(distance)), starts)
      }
      // call, jmp; jcc; lea
      let distanceOffset =
        switch byte {
        case 0xe8, 0xe9: offset + 1
        case 0x80...0x8f where offset > 0 && previous(code, offset) == 0x0f: offset + 1
        case 0x8d where (code.base + (offset + 1)).load(as: UInt8.self) & 0xc7 == 0x05: offset + 2
        default: -1
        }
      if distanceOffset > 0, distanceOffset + 4 <= code.count {
        let distance = (code.base + distanceOffset).loadUnaligned(as: Int32.self)
        let end = section.address &+ UInt64(distanceOffset + 4)
        link(
          from: section.address &+ UInt64(offset)..<end,
          to: end &+ UInt64(bitPattern: Int64(distance)), starts)
      }
      offset += 1
    }
  }

  /// The byte before an offset.
  private func previous(_ code: Bytes, _ offset: Int) -> UInt8 {
    (code.base + (offset - 1)).load(as: UInt8.self)
  }

  /// b, bl
  private mutating func scanWords(_ code: Bytes, _ section: ELFSection, _ starts: Set<UInt64>) {
    for offset in stride(from: 0, to: code.count - 3, by: 4) {
      let word = (code.base + offset).loadUnaligned(as: UInt32.self)
      let place = section.address &+ UInt64(offset)
      guard let target = ArmAddress.ofBranch(word, at: place) else { continue }
      link(from: place..<(place &+ 4), to: target, starts)
    }
  }

  /// - Parameter bytes: the places of the instruction, which must lie in one function.
  private mutating func link(
    from bytes: Range<UInt64>, to address: UInt64, _ starts: Set<UInt64>
  ) {
    guard starts.contains(address), let target = functions.indices(at: address).last,
      let source = functions.index(containing: bytes.lowerBound), source != target,
      source == functions.index(containing: bytes.upperBound - 1)
    else { return }
    likely.insert(UInt64(source) << 32 | UInt64(target))
  }

  private func starts(in section: ELFSection) -> Set<UInt64> {
    var starts: Set<UInt64> = []
    for entry in functions.entries
    where section.address <= entry.address && entry.address < section.end {
      starts.insert(entry.address)
    }
    return starts
  }
}
