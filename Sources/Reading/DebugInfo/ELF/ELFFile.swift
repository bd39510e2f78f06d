import CElfutils
import FirstlightModel

/// A 64-bit little-endian ELF file. All headers were checked to lie inside the file.
package struct ELFFile: Sendable {
  let file: MappedFile
  /// The kind of a linked file; meaningless for other files.
  let kind: ImageKind
  /// Whether the type is `ET_DYN`, so that the file can be loaded at any address.
  let isPositionIndependent: Bool
  let machine: UInt16
  let sections: [ELFSection]
  let segments: [ELFSegment]
  /// The dynamic section, up to the entry that ends it; empty if there is none.
  let dynamicEntries: [DynamicEntry]
  /// `NT_GNU_BUILD_ID`; nil if there is none.
  let buildID: BuildID?
  /// The name and checksum in `.gnu_debuglink`; nil if there is none.
  let debugLink: (name: String, checksum: UInt32)?

  static let amd64 = UInt16(EM_X86_64)
  static let aarch64 = UInt16(EM_AARCH64)

  var path: String { file.path }

  /// The name in `uname -m`.
  var architecture: String { machine == Self.aarch64 ? "aarch64" : "x86_64" }

  /// Reads the headers. Throws `.data` with the file's name unless the headers are those of a whole executable
  /// or shared library for a known machine.
  ///
  /// - Parameter isPart: whether the file may have the type of an object file, as files with separate debug
  ///   information do.
  init(_ file: MappedFile, isPart: Bool = false) throws(Failure) {
    self.file = file
    let bytes = file.bytes
    let path = file.path
    if let start = bytes.slice(0, 8), start.equals("!<arch>\n") || start.equals("!<thin>\n") {
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
    guard bytes.count >= MemoryLayout<Elf64_Ehdr>.size else {
      throw damaged("it ends within its header")
    }
    var header = GElf_Ehdr()
    guard let elf = file.openELF() else { throw damaged("libelf cannot read its headers") }
    defer { elf_end(elf) }
    guard gelf_getehdr(elf, &header) != nil else {
      throw damaged("libelf cannot read its headers")
    }
    let type = Int32(header.e_type)
    machine = header.e_machine

    switch type {
    case ET_EXEC, ET_DYN: break
    case ET_REL where isPart: break
    case ET_REL:
      throw Failure(
        .data, "\(path): a relocatable object file (or kernel module), not a linked program",
        advice: "use the executable or shared library it was linked into")
    case ET_CORE:
      throw Failure(.data, "\(path): a core dump", advice: "use the program that it came from")
    default: throw damaged("unknown file type \(type)")
    }
    guard machine == Self.amd64 || machine == Self.aarch64 else {
      throw Failure(
        .data, "\(path): built for ELF machine \(machine); x86_64 and aarch64 are supported")
    }

    segments = try Self.segments(elf, damaged: damaged)
    dynamicEntries =
      segments.first { $0.type == ELFSegment.dynamic }
      .flatMap { bytes.slice($0.offset, $0.fileSize) }.map(DynamicEntry.read) ?? []
    sections = try Self.sections(elf, bytes, header, damaged: damaged)
    buildID = Self.buildID(elf)
    var checksum: GElf_Word = 0
    debugLink = dwelf_elf_gnu_debuglink(elf, &checksum).map { (String(cString: $0), checksum) }
    let isExecutable =
      type == ET_EXEC || segments.contains { $0.type == ELFSegment.interpreter }
      // A static PIE has this flag, a shared library does not.
      || dynamicEntries.contains { $0.has(DF_1_PIE, in: DT_FLAGS_1) }
    kind = isExecutable ? .executable : .sharedLibrary
    isPositionIndependent = type == ET_DYN
    try checkSymbols()
  }

  /// The first section of this name.
  func section(_ name: String) -> ELFSection? { sections.first { $0.name == name } }

  /// All symbols (`.symtab`); nil if missing.
  var symbolTable: ELFSymbols? { symbols(ELFSection.symbolTable) }

  /// The symbols for other images (`.dynsym`).
  var dynamicSymbols: ELFSymbols? { symbols(ELFSection.dynamicSymbols) }

  /// Throws `.data` if a symbol table or its names are compressed, which no linker does: their bytes are no symbols.
  private func checkSymbols() throws(Failure) {
    for section in sections where section.type == ELFSection.symbolTable && section.hasContents {
      let names = Int(section.link) < sections.count ? sections[Int(section.link)] : section
      guard section.isCompressed || names.isCompressed else { continue }
      throw Failure(
        .data, "\(path): its symbol table is compressed",
        advice: "decompress it: eu-elfcompress -t none --name .symtab --name .strtab FILE")
    }
  }

  private func symbols(_ type: UInt32) -> ELFSymbols? {
    sections.first { $0.type == type && $0.hasContents }
      .flatMap { ELFSymbols(self, section: $0.index) }
  }

  /// The relocations that the loader applies.
  var loadedRelocations: [Relocations] { relocations { $0.isAllocated } }

  /// The relocations that the linker applied, and kept.
  var keptRelocations: [Relocations] { relocations { !$0.isAllocated } }

  private func relocations(_ isWanted: (ELFSection) -> Bool) -> [Relocations] {
    sections.filter { $0.type == ELFSection.rela && isWanted($0) }.map { Relocations(self, $0) }
  }

  /// Whether the file has debug information.
  var hasDWARF: Bool {
    sections.contains {
      ($0.name == ".debug_info" || $0.name == ".zdebug_info") && $0.hasContents && $0.size > 0
    }
  }

  /// Whether any debug section is compressed (`SHF_COMPRESSED`, or GNU's older `.zdebug_`).
  var hasCompressedSections: Bool {
    sections.contains {
      $0.isCompressed && $0.name.begins(with: ".debug_") || $0.name.begins(with: ".zdebug_")
    }
  }

  /// A section's bytes in the file; empty if the file has none.
  func contents(_ section: ELFSection) -> Bytes {
    guard section.hasContents else { return .empty }
    return file.bytes.slice(section.offset, section.size) ?? .empty
  }

  private static func buildID(_ elf: OpaquePointer) -> BuildID? {
    var bytes: UnsafeRawPointer?
    let count = dwelf_elf_gnu_build_id(elf, &bytes)
    // Linkers write 8, 16 or 20 bytes. A user can ask for more, but hardly for this many.
    guard count > 0, count <= 64, let bytes else { return nil }
    return BuildID(bytes: UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private static func segments(
    _ elf: OpaquePointer, damaged: (String) -> Failure
  ) throws(Failure) -> [ELFSegment] {
    var count = 0
    guard elf_getphdrnum(elf, &count) == 0 else { return [] }
    var segments: [ELFSegment] = []
    for index in 0..<count {
      var header = GElf_Phdr()
      guard gelf_getphdr(elf, CInt(index), &header) != nil else {
        throw damaged("its program headers are beyond its end")
      }
      segments.append(
        ELFSegment(
          type: header.p_type, flags: header.p_flags, offset: header.p_offset,
          address: header.p_vaddr, fileSize: header.p_filesz, memorySize: header.p_memsz))
    }
    return segments
  }

  private static func sections(
    _ elf: OpaquePointer, _ bytes: Bytes, _ file: GElf_Ehdr, damaged: (String) -> Failure
  ) throws(Failure) -> [ELFSection] {
    guard file.e_shoff != 0 else { return [] }
    var count = 0
    var names = 0
    guard elf_getshdrnum(elf, &count) == 0, count > 0 else {
      throw damaged("its section headers lie beyond its end")
    }
    let hasNames = elf_getshdrstrndx(elf, &names) == 0
    var sections: [ELFSection] = []
    sections.reserveCapacity(count)
    for index in 0..<count {
      var header = GElf_Shdr()
      guard gelf_getshdr(elf_getscn(elf, index), &header) != nil else {
        throw damaged("its section headers lie beyond its end")
      }
      let name = hasNames ? elf_strptr(elf, names, Int(header.sh_name)) : nil
      let section = ELFSection(
        name: name.map { String(cString: $0) } ?? "", index: index, type: header.sh_type,
        flags: header.sh_flags, address: header.sh_addr, offset: header.sh_offset,
        size: header.sh_size, link: header.sh_link, info: header.sh_info)
      guard !section.hasContents || bytes.slice(section.offset, section.size) != nil else {
        throw damaged("its section \(section.name) ends beyond the end of the file")
      }
      sections.append(section)
    }
    return sections
  }
}
