import CElfutils
import FirstlightModel

/// A 64-bit little-endian ELF file. All headers were checked to lie inside the file.
struct ELFFile: Sendable {
  let file: MappedFile
  /// The kind of a linked file; meaningless for other files.
  let kind: ImageKind
  /// Whether the type is that of an object file, which files of debug information may have, too.
  let isRelocatable: Bool
  /// Whether the type is `ET_DYN`, so that the file can be loaded at any address.
  let isPositionIndependent: Bool
  let machine: UInt16
  let sections: [ELFSection]
  let segments: [ELFSegment]

  static let amd64: UInt16 = 62
  static let aarch64: UInt16 = 183

  var path: String { file.path }

  /// The name in `uname -m`.
  var architecture: String { machine == Self.aarch64 ? "aarch64" : "x86_64" }

  /// Reads the headers. Throws `.data` with the file's name unless the headers are those of a whole executable
  /// or shared library for a known machine.
  ///
  /// - Parameter isPart: whether the file may have the type of an object file, as files with separate debug
  ///   information do. Addresses of an object file are those of `ObjectFile`.
  init(_ file: MappedFile, isPart: Bool = false) throws(Failure) {
    self.file = file
    let bytes = file.bytes
    let path = file.path
    if Archive.isOne(bytes) {
      throw Failure(
        .data, "\(path): an archive of object files, not a linked program",
        advice: "use the executable or shared library that they were linked into")
    }
    guard bytes.load(0, as: UInt32.self) == 0x464c_457f else {
      throw Failure(
        .data, "\(path): not an ELF file", advice: "use an executable or shared library")
    }
    func damaged(_ what: String) -> Failure {
      Failure(.data, "\(path): damaged ELF file: \(what)", advice: "copy or build it again")
    }
    guard bytes.count >= 16 else { throw damaged("it ends within its header") }
    guard bytes.load(4, as: UInt8.self) == 2 else {
      throw Failure(.data, "\(path): a 32-bit ELF file; only 64-bit ones are supported")
    }
    guard bytes.load(5, as: UInt8.self) == 1 else {
      throw Failure(.data, "\(path): a big-endian ELF file; only little-endian ones are supported")
    }
    guard let header = bytes.load(0, as: Elf64_Ehdr.self) else {
      throw damaged("it ends within its header")
    }
    let type = header.e_type
    machine = header.e_machine

    switch type {
    case 2, 3: break
    case 1 where isPart: break
    case 1:
      throw Failure(
        .data, "\(path): a relocatable object file (or kernel module), not a linked program",
        advice: "use the executable or shared library it was linked into")
    case 4:
      throw Failure(.data, "\(path): a core dump", advice: "use the program that it came from")
    default: throw damaged("unknown file type \(type)")
    }
    guard machine == Self.amd64 || machine == Self.aarch64 else {
      throw Failure(
        .data, "\(path): built for ELF machine \(machine); x86_64 and aarch64 are supported")
    }

    segments = try Self.segments(bytes, header, damaged: damaged)
    sections = try Self.sections(bytes, header, damaged: damaged)
    let isExecutable =
      type == 2 || segments.contains { $0.type == ELFSegment.interpreter }
      || Self.isPositionIndependentExecutable(bytes, segments)
    kind = isExecutable ? .executable : .sharedLibrary
    isPositionIndependent = type == 3
    isRelocatable = type == 1
  }

  /// The first section of this name.
  func section(_ name: String) -> ELFSection? { sections.first { $0.name == name } }

  /// The section of all symbols (`.symtab`), with the section of their names; nil if missing.
  var symbolTable: SymbolSection? { symbolSection(ELFSection.symbolTable) }

  /// The section of the symbols for other images (`.dynsym`).
  var dynamicSymbols: SymbolSection? { symbolSection(ELFSection.dynamicSymbols) }

  private func symbolSection(_ type: UInt32) -> SymbolSection? {
    guard let section = sections.first(where: { $0.type == type && $0.hasContents }),
      Int(section.link) < sections.count
    else { return nil }
    return SymbolSection(file: self, symbols: section, names: sections[Int(section.link)])
  }

  /// Whether the file has debug information.
  var hasDWARF: Bool {
    sections.contains {
      ($0.name == ".debug_info" || $0.name == ".zdebug_info") && $0.hasContents && $0.size > 0
    }
  }

  /// Whether all debug information is in the sections of `.dwo` files. libdw reads sections with other names if
  /// the file has any.
  var isSplit: Bool {
    let names = sections.lazy.map(\.name).filter {
      $0.hasPrefix(".debug_") || $0.hasPrefix(".zdebug_")
    }
    return names.allSatisfy { $0.hasPrefix(".debug_") && $0.hasSuffix(".dwo") } && !names.isEmpty
  }

  /// Whether any debug section is compressed (`SHF_COMPRESSED`, or GNU's older `.zdebug_`).
  var hasCompressedSections: Bool {
    sections.contains {
      $0.isCompressed && $0.name.hasPrefix(".debug_") || $0.name.hasPrefix(".zdebug_")
    }
  }

  /// A section's bytes in the file; empty if the file has none.
  func contents(_ section: ELFSection) -> Bytes {
    guard section.hasContents else { return .empty }
    return file.bytes.slice(section.offset, section.size) ?? .empty
  }

  /// The file offset of the contents at a link-time address; nil if the file does not have them.
  func fileOffset(of address: UInt64) -> UInt64? {
    for segment in segments where segment.type == ELFSegment.load {
      let place = address &- segment.address
      if address >= segment.address, place < segment.fileSize { return segment.offset &+ place }
    }
    return nil
  }

  /// The lowest address of code and one past the highest: in executable segments, or in the sections of an
  /// object file.
  var codeRange: Range<UInt64> {
    if isRelocatable {
      return 0..<(sections.lazy.filter { $0.hasCode && $0.address <= $0.end }.map(\.end).max() ?? 0)
    }
    var low = UInt64.max
    var high: UInt64 = 0
    for segment in segments where segment.type == ELFSegment.load && segment.isExecutable {
      let (end, overflow) = segment.address.addingReportingOverflow(segment.memorySize)
      guard !overflow else { continue }
      low = min(low, segment.address)
      high = max(high, end)
    }
    return low < high ? low..<high : 0..<0
  }

  /// The number of bytes of code in the file.
  var codeSize: Int {
    if isRelocatable { return Int(clamping: min(codeRange.upperBound, UInt64(file.bytes.count))) }
    var size = 0
    for segment in segments where segment.type == ELFSegment.load && segment.isExecutable {
      size = min(file.bytes.count, size + Int(clamping: min(segment.fileSize, UInt64(Int32.max))))
    }
    return size
  }

  private static func segments(
    _ bytes: Bytes, _ file: Elf64_Ehdr, damaged: (String) -> Failure
  ) throws(Failure) -> [ELFSegment] {
    let (size, count) = (Int(file.e_phentsize), Int(file.e_phnum))
    guard count > 0 else { return [] }
    guard size >= 56, let table = bytes.slice(file.e_phoff, UInt64(size * count)) else {
      throw damaged("its program headers are beyond its end")
    }
    return (0..<count).compactMap { index in
      table.load(index * size, as: Elf64_Phdr.self).map {
        ELFSegment(
          type: $0.p_type, flags: $0.p_flags, offset: $0.p_offset, address: $0.p_vaddr,
          fileSize: $0.p_filesz, memorySize: $0.p_memsz)
      }
    }
  }

  private static func sections(
    _ bytes: Bytes, _ file: Elf64_Ehdr, damaged: (String) -> Failure
  ) throws(Failure) -> [ELFSection] {
    let size = UInt64(file.e_shentsize)
    guard file.e_shoff != 0 else { return [] }
    guard let first = bytes.slice(file.e_shoff, size)?.load(0, as: Elf64_Shdr.self) else {
      throw damaged("its section headers lie beyond its end")
    }
    // Past 65,279 sections the count and the name table's index are in the first header.
    let realCount = file.e_shnum != 0 ? UInt64(file.e_shnum) : first.sh_size
    let realNames = file.e_shstrndx != 0xffff ? UInt32(file.e_shstrndx) : first.sh_link
    guard realCount <= UInt64(bytes.count) / size,
      let table = bytes.slice(file.e_shoff, size * realCount)
    else { throw damaged("its section headers lie beyond its end") }

    func header(_ index: Int, _ names: inout SectionNames) -> ELFSection {
      let header = (table.base + index * Int(size)).loadUnaligned(as: Elf64_Shdr.self)
      return ELFSection(
        name: names.name(at: header.sh_name), index: index, type: header.sh_type,
        flags: header.sh_flags, address: header.sh_addr, offset: header.sh_offset,
        size: header.sh_size, link: header.sh_link, info: header.sh_info,
        alignment: header.sh_addralign, entrySize: header.sh_entsize)
    }
    var names = SectionNames(.empty)
    if realNames != 0, UInt64(realNames) < realCount {
      let section = header(Int(realNames), &names)
      guard let contents = bytes.slice(section.offset, section.size) else {
        throw damaged("its section names are beyond its end")
      }
      names = SectionNames(contents)
    }
    var sections: [ELFSection] = []
    sections.reserveCapacity(Int(realCount))
    for index in 0..<Int(realCount) {
      let section = header(index, &names)
      guard !section.hasContents || bytes.slice(section.offset, section.size) != nil else {
        throw damaged("its section \(section.name) ends beyond the end of the file")
      }
      sections.append(section)
      guard !names.isExcessive else {
        throw damaged("its section names overlap, and are longer than the file")
      }
    }
    return sections
  }

  /// Whether the dynamic section has `DF_1_PIE`: a static PIE has this flag, a shared library does not.
  private static func isPositionIndependentExecutable(
    _ bytes: Bytes, _ segments: [ELFSegment]
  ) -> Bool {
    guard let dynamic = segments.first(where: { $0.type == ELFSegment.dynamic }),
      let table = bytes.slice(dynamic.offset, dynamic.fileSize)
    else { return false }
    let flags = DynamicEntry.read(table).first { $0.tag == 0x6fff_fffb }?.value
    return (flags ?? 0) & 0x0800_0000 != 0
  }
}
