/// How an ELF file is loaded and started: the input of a report on its start-up.
///
/// Addresses are link-time addresses. Terms are those of the System V ABI, chapters 4 and 5.
package struct BinaryFacts: Sendable {
  package var path: String
  package var buildID: BuildID?
  package var kind: ImageKind
  /// As `uname -m` names it.
  package var architecture: String
  package var fileSize: UInt64
  /// Whether the loader may put it at any address: all shared libraries, and PIE executables.
  package var isPositionIndependent: Bool
  /// The program that loads it (`PT_INTERP`); nil: none, it is linked statically, or a library.
  package var interpreter: String?
  /// In file order.
  package var sections: [BinarySection]
  package var dynamic: DynamicFacts
  package var relocations: RelocationFacts
  /// In the order in which they run.
  package var initializers: [Initializer]
  /// Number of guards; 0: not instrumented by us.
  package var guardCount: Int
  /// Where functions begin, as symbols say: rising, each once; empty if it is stripped.
  package var functionStarts: [UInt64]

  package init(
    path: String, buildID: BuildID?, kind: ImageKind, architecture: String, fileSize: UInt64,
    isPositionIndependent: Bool, interpreter: String?, sections: [BinarySection],
    dynamic: DynamicFacts, relocations: RelocationFacts, initializers: [Initializer],
    guardCount: Int, functionStarts: [UInt64]
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
    self.functionStarts = functionStarts
  }

  /// The first section of this name.
  package func section(_ name: String) -> BinarySection? { sections.first { $0.name == name } }
}

/// A function that runs before `main`.
package struct Initializer: Hashable, Sendable, Encodable {
  /// Where it is listed: `.preinit_array`, `_init` or `.init_array`.
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
  /// 0 unless it is loaded.
  package var address: UInt64
  /// Where its contents begin in the file.
  package var offset: UInt64
  package var size: UInt64
  /// Whether it is part of the process's memory.
  package var isLoaded: Bool
  package var isWritable: Bool
  package var isExecutable: Bool
  /// Whether it has contents in the file; `.bss` has none.
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

  /// Numbers of the file's pages that hold some of it; empty if it is not in the file.
  package func filePages(size pageSize: UInt64 = PageSize.reported) -> Range<UInt64> {
    let (end, overflow) = offset.addingReportingOverflow(size)
    guard isInFile, size > 0, !overflow else { return 0..<0 }
    return offset / pageSize..<(end - 1) / pageSize + 1
  }
}

/// The work of relocation at start.
package struct RelocationFacts: Hashable, Sendable {
  /// The sections that hold them.
  package var tables: [Table] = []
  /// For each kind, as the ABI names it, how many; packed ones are counted as unpacked.
  package var counts: [String: Int] = [:]
  /// Of these, how many are packed.
  package var packed = 0
  /// For each section that is written to, how many pages of memory that makes the process's own.
  package var dirtiedPages: [String: Int] = [:]
  /// Pages written to in all: a page that two sections share counts once.
  package var dirtiedPagesInAll = 0
  /// Whether a table was cut short because it lies or points outside what is loaded.
  package var isDamaged = false

  package struct Table: Hashable, Sendable {
    package var name: String
    package var bytes: UInt64
    /// Relocations it stands for.
    package var count: Int

    package init(name: String, bytes: UInt64, count: Int) {
      self.name = name
      self.bytes = bytes
      self.count = count
    }
  }

  package init() {}

  package var count: Int { counts.values.reduce(0, +) }
  /// Those that only add the load bias: the ones that can be packed.
  package var relative: Int {
    counts.reduce(0) { $0 + ($1.key.hasSuffix("_RELATIVE") ? $1.value : 0) }
  }
}

/// What the dynamic section says; all empty for a static program.
package struct DynamicFacts: Hashable, Sendable {
  /// Shared libraries it is linked with (`DT_NEEDED`), in order.
  package var needed: [String] = []
  /// The name by which others need it (`DT_SONAME`).
  package var soname: String?
  /// Folders to look for them in (`DT_RUNPATH`, else `DT_RPATH`), as they stand there.
  package var runPath: [String] = []
  /// Whether those folders are also for what its libraries need: they are `DT_RPATH`.
  package var isRunPathInherited = false
  /// Whether the loader's usual folders are left out (`-z nodefaultlib`).
  package var skipsUsualFolders = false
  /// Whether it prefers its own symbols to those of others (`-Bsymbolic`).
  package var isSymbolic = false
  /// Whether there is a `DT_GNU_HASH` and a `DT_HASH` table.
  package var hasGNUHash = false
  package var hasSystemVHash = false
  /// Whether all functions are bound at start (`-z now`).
  package var bindsNow = false
  /// Whether relative relocations are packed (`DT_RELR`).
  package var hasPackedRelocations = false
  /// Functions and objects defined here that others can see.
  package var definitions: [SymbolDefinition] = []
  /// Symbols that other images have to define, or may.
  package var references: [SymbolReference] = []

  package init() {}

  /// Names of `definitions`.
  package var exported: [String] { definitions.lazy.filter { !$0.isStub }.map(\.name) }
  /// Names of symbols that other images have to define.
  package var imported: [String] { references.lazy.filter(\.isUndefined).map(\.name) }
}

/// A section of an object file, where the linker put it.
package struct InputSection: Hashable, Sendable {
  /// Link-time addresses.
  package var addresses: Range<UInt64>
  /// The object file, and its archive if it came from one, as the linker's map names them.
  package var file: String
  /// As in the object file: `.text.main`.
  package var name: String

  package init(addresses: Range<UInt64>, file: String, name: String) {
    self.addresses = addresses
    self.file = file
    self.name = name
  }
}
