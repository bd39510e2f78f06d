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
package struct Initializer: Hashable, Sendable {
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
