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
