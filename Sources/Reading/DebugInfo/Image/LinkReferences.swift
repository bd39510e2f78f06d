import CElfutils
import FirstlightModel

/// References between code and data of a linked file, from the relocations that a linker keeps with
/// `--emit-relocs` (`ld` manual), and from calls without relocation within one section of an object file. A reference
/// is a call, a jump or an address taken.
package struct LinkReferences: Sendable {
  package struct Edge: Hashable, Sendable {
    /// Index into `names`.
    package var from: Int32
    package var to: Int32
    /// Whether a relocation within the source's own bytes proves the reference. Otherwise bytes only look like a call.
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
    LinkReferenceReader(self)?.read()
  }
}

/// Reads `.rela` sections of code and data. Invalid offsets and indices are skipped.
private struct LinkReferenceReader {
  private let elf: ELFFile
  private let functions: FunctionSymbols
  private let dwarf: DWARFIndex
  private let tables: [Relocations]
  private let objects: [DataObject]
  /// By section, the index of its name, after those of functions and data; -1 if unused.
  private var sectionNames: [Int32]
  private var names: [String]
  private var edges: Set<UInt64> = []
  /// References from bytes that only look like a call.
  private var likely: Set<UInt64> = []

  /// A variable or constant.
  private struct DataObject {
    var address: UInt64
    var size: UInt64
    var name: Bytes
  }

  init?(_ image: DebugImage) {
    let elf = image.elf
    guard let table = elf.symbolTable else { return nil }
    tables = elf.keptRelocations.filter {
      let changed = Int($0.section.info)
      return $0.symbols?.section.index == table.section.index && changed < elf.sections.count
        && elf.sections[changed].isAllocated
    }
    guard tables.contains(where: { elf.sections[Int($0.section.info)].isExecutable }) else {
      return nil
    }
    self.elf = elf
    functions = image.symbols
    dwarf = image.dwarf
    objects = Self.objects(table)
    names = functions.entries.indices.map(functions.name) + objects.map(\.name.text)
    sectionNames = Array(repeating: -1, count: elf.sections.count)
  }

  consuming func read() -> LinkReferences {
    for table in tables {
      let section = elf.sections[Int(table.section.info)]
      if Self.isReference(section.name) { read(table, of: section) }
    }
    for section in elf.sections where section.hasCode && !section.name.begins(with: ".plt") {
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
    return !others.contains { name.begins(with: $0) }
  }

  private static func objects(_ table: ELFSymbols) -> [DataObject] {
    var objects: [DataObject] = []
    for symbol in table where symbol.kind == .object && symbol.isDefined {
      guard let name = table.name(symbol) else { continue }
      objects.append(DataObject(address: symbol.value, size: symbol.size, name: name))
    }
    return objects.sorted { $0.address < $1.address }
  }

  private mutating func read(_ table: Relocations, of section: ELFSection) {
    guard let symbols = table.symbols else { return }
    for relocation in table {
      guard let target = target(of: relocation, symbols, isCode: section.isExecutable),
        section.address <= relocation.place, relocation.place < section.end
      else { continue }
      add(from: source(of: relocation.place, in: section), to: target)
    }
  }

  /// The function that a relocation refers to: one that starts there. Other places in code are labels.
  private func target(of relocation: Relocation, _ symbols: ELFSymbols, isCode: Bool) -> Int? {
    guard relocation.kind != .none, relocation.symbol > 0, relocation.symbol < symbols.count else {
      return nil
    }
    let symbol = symbols[relocation.symbol]
    guard symbol.isDefined else { return nil }
    guard symbol.kind == .section else { return functions.indices(at: symbol.value).last }
    let isDistance = relocation.kind == .distance
    // Data holds distances from the beginning of a table of labels.
    guard isCode || !isDistance else { return nil }
    // Distances start at the end of the instruction, usually four bytes after the field.
    let address = symbol.value &+ relocation.addend &+ (isDistance ? 4 : 0)
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

  /// Assemblers resolve calls to local functions of the same section themselves. Some sections hold many functions,
  /// unless compilers give each its own. Other bytes may look like such a
  /// call that leads to a function's start, by chance, and overlap a real one, so that none ends the search for others.
  private mutating func scan(_ section: ELFSection) {
    let code = elf.contents(section)
    let starts = starts(in: section)
    guard !starts.isEmpty else { return }
    let isArm = elf.machine == ELFFile.aarch64
    CodeReferences(code, at: section.address, elf).visit {
      switch $0.kind {
      case .call, .jump, .branch: break
      // Relocations stay at the instructions that load an address on aarch64.
      case .load where !isArm: break
      case .load, .immediate: return false
      }
      link(from: $0.place, to: $0.target, starts)
      return false
    }
  }

  /// - Parameter bytes: the places of the instruction, which must lie in one function.
  private mutating func link(
    from bytes: Range<UInt64>, to address: UInt64, _ starts: Set<UInt64>
  ) {
    guard starts.contains(address), let target = functions.indices(at: address).last,
      let source = functions.index(containing: bytes.lowerBound), source != target,
      source == functions.index(containing: bytes.upperBound - 1),
      dwarf.mayShareSection(bytes.lowerBound, address)
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
