/// How an ELF file is loaded and started: the input of a report on its start-up.
///
/// Addresses are link-time addresses. Terms are those of the System V ABI, chapters 4 and 5.
package struct BinaryFacts: Sendable {
  package var path: String
  package var buildID: BuildID?
  package var kind: ImageKind
  /// The machine name that `uname -m` would print.
  package var architecture: String
  package var fileSize: UInt64
  /// Whether the loader may place the file at any address: shared libraries and PIE executables.
  package var isPositionIndependent: Bool
  /// The program interpreter (`PT_INTERP`), which loads the file; nil for static programs and libraries.
  package var interpreter: String?
  /// In file order.
  package var sections: [BinarySection]
  package var dynamic: DynamicFacts
  package var relocations: RelocationFacts
  /// In the order in which they run.
  package var initializers: [Initializer]
  /// Number of guards; 0 if the file has none.
  package var guardCount: Int
  /// What compilers added to observe the program; empty if it can be shipped and measured.
  package var instrumentation: [Instrumentation]
  /// Start addresses of functions from the symbol table, rising, without duplicates; empty if stripped.
  package var functionStarts: [UInt64]

  package init(
    path: String, buildID: BuildID?, kind: ImageKind, architecture: String, fileSize: UInt64,
    isPositionIndependent: Bool, interpreter: String?, sections: [BinarySection],
    dynamic: DynamicFacts, relocations: RelocationFacts, initializers: [Initializer],
    guardCount: Int, instrumentation: [Instrumentation] = [], functionStarts: [UInt64]
  ) {
    self.path = path
    self.buildID = buildID
    self.kind = kind
    self.architecture = architecture
    self.fileSize = fileSize
    self.isPositionIndependent = isPositionIndependent
    self.interpreter = interpreter
    self.sections = sections
    self.dynamic = dynamic
    self.relocations = relocations
    self.initializers = initializers
    self.guardCount = guardCount
    self.instrumentation = instrumentation
    self.functionStarts = functionStarts
  }

  /// The first section of this name.
  package func section(_ name: String) -> BinarySection? { sections.first { $0.name == name } }
}

/// Code or counters that make a binary unfit to ship and to measure.
package struct Instrumentation: Hashable, Sendable {
  /// A section, or a function that the code calls.
  package var place: String
  /// The instrumentation, with the options that make it.
  package var source: String

  package init(place: String, source: String) {
    (self.place, self.source) = (place, source)
  }

  /// The warning of all commands that show or measure such a binary.
  package static let warning = "instrumented binary: do not ship or benchmark it"
}

/// A function that runs before `main`.
package struct Initializer: Hashable, Sendable, Encodable {
  /// The list that holds it: `.preinit_array`, `_init` or `.init_array`.
  package var list: String
  package var address: UInt64
  /// The linker's name; empty if no symbol covers it.
  package var name: String

  package init(list: String, address: UInt64, name: String) {
    self.list = list
    self.address = address
    self.name = name
  }
}

/// One output section.
package struct BinarySection: Hashable, Sendable {
  package var name: String
  /// 0 unless the section is loaded.
  package var address: UInt64
  /// Offset of the contents in the file.
  package var offset: UInt64
  package var size: UInt64
  /// Whether the section is part of the process's memory.
  package var isLoaded: Bool
  package var isWritable: Bool
  package var isExecutable: Bool
  /// Whether the section has contents in the file; `.bss` has none.
  package var isInFile: Bool

  package init(
    name: String, address: UInt64, offset: UInt64, size: UInt64, isLoaded: Bool, isWritable: Bool,
    isExecutable: Bool, isInFile: Bool
  ) {
    self.name = name
    self.address = address
    self.offset = offset
    self.size = size
    self.isLoaded = isLoaded
    self.isWritable = isWritable
    self.isExecutable = isExecutable
    self.isInFile = isInFile
  }

  /// Numbers of the file pages that hold part of the section; empty if it is not in the file.
  package func filePages(size pageSize: UInt64 = PageSize.reported) -> Range<UInt64> {
    let (end, overflow) = offset.addingReportingOverflow(size)
    guard isInFile, size > 0, !overflow else { return 0..<0 }
    return offset / pageSize..<(end - 1) / pageSize + 1
  }
}

/// The loader's relocation work at start-up.
package struct RelocationFacts: Hashable, Sendable {
  /// The sections that hold the relocations.
  package var tables: [Table] = []
  /// Number of relocations of each type, by its ABI name; packed ones are counted as unpacked.
  package var counts: [TextBytes: Int] = [:]
  /// Number of packed relocations among `counts`.
  package var packed = 0
  /// For each written section, the number of pages that relocation makes private to the process.
  package var dirtiedPages: [TextBytes: Int] = [:]
  /// Number of all written pages; a page that two sections share counts once.
  package var dirtiedPagesInAll = 0
  /// Whether a table was cut short because it lies outside the loaded memory, or points outside it.
  package var isDamaged = false

  package struct Table: Hashable, Sendable {
    package var name: String
    package var bytes: UInt64
    /// Number of relocations in the table.
    package var count: Int

    package init(name: String, bytes: UInt64, count: Int) {
      self.name = name
      self.bytes = bytes
      self.count = count
    }
  }

  package init() {}

  package var count: Int { counts.values.reduce(0, +) }
  /// Relocations that only add the load bias: the kind that can be packed.
  package var relative: Int {
    counts.reduce(0) { $0 + ($1.key.text.ends(with: "_RELATIVE") ? $1.value : 0) }
  }
}

/// Contents of the dynamic section; all empty for a static program.
package struct DynamicFacts: Hashable, Sendable {
  /// Needed shared libraries (`DT_NEEDED`), in order.
  package var needed: [String] = []
  /// The library name that other binaries link against (`DT_SONAME`).
  package var soname: String?
  /// Search folders for needed libraries (`DT_RUNPATH`, else `DT_RPATH`), verbatim.
  package var runPath: [String] = []
  /// Whether the search folders also apply to the libraries' own needs: they come from `DT_RPATH`.
  package var isRunPathInherited = false
  /// Whether the loader runs libraries of the binary's choice before all others (`DT_AUDIT`, `DT_DEPAUDIT`).
  package var needsAuditors = false
  /// Whether the binary prefers its own symbols to those of others (`-Bsymbolic`).
  package var isSymbolic = false
  /// Whether there is a `DT_GNU_HASH` and a `DT_HASH` table.
  package var hasGNUHash = false
  package var hasSystemVHash = false
  /// Whether all functions are bound at start (`-z now`).
  package var bindsNow = false
  /// Whether relative relocations are packed (`DT_RELR`).
  package var hasPackedRelocations = false
  /// Functions and objects defined here and visible to other images.
  package var definitions: [SymbolDefinition] = []
  /// Symbols that other images must or may define.
  package var references: [SymbolReference] = []

  package init() {}

  /// Names of `definitions`.
  package var exported: [String] { definitions.lazy.filter { !$0.isStub }.map(\.name) }
  /// Names of symbols that other images must define.
  package var imported: [String] { references.lazy.filter(\.isUndefined).map(\.name) }
}

/// A section of an object file, at its place in the linked binary.
package struct InputSection: Hashable, Sendable {
  /// Link-time addresses.
  package var addresses: Range<UInt64>
  /// The object file, and its archive if there is one, as the linker map names them.
  package var file: String
  /// The name in the object file: `.text.main`.
  package var name: String

  package init(addresses: Range<UInt64>, file: String, name: String) {
    self.addresses = addresses
    self.file = file
    self.name = name
  }
}
