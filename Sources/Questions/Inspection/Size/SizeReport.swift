import FirstlightModel

/// The contents of a binary file, to the byte.
package struct SizeReport: Sendable {
  /// Bytes of one kind.
  package struct Part: Hashable, Sendable {
    package var name: String
    package var bytes: UInt64
  }

  /// The code and data of a module.
  package struct Module: Sendable {
    package var name: String
    package var owner: ModuleOwner
    package var code: UInt64 = 0
    package var data: UInt64 = 0
    package var functions = 0
    /// Functions whose calls the profile shows or could have shown, and those that were called; by bytes.
    var watchedBytes: UInt64 = 0
    var calledBytes: UInt64 = 0
    package var calledFunctions = 0
    /// Direct calls of the module's functions from the user's own code; most first.
    package var callers: [Caller] = []

    package var bytes: UInt64 { code + data }
    /// The share of watched code that was called; nil: not watched.
    package var calledShare: Double? {
      watchedBytes == 0 ? nil : Double(calledBytes) / Double(watchedBytes)
    }
  }

  /// A source file of the user's own code that calls a dependency directly.
  package struct Caller: Hashable, Sendable {
    /// The function's module, if the file is unknown.
    package var file: String
    package var calls: Int
    /// The readable name of a function that it calls.
    var callee: String
  }

  /// Copies of one generic function that the compiler made for certain types.
  package struct Specialized: Hashable, Sendable {
    /// The readable name of the generic function.
    package var name: String
    package var copies: Int
    package var bytes: UInt64
  }

  /// One symbol.
  package struct Symbol: Sendable {
    package var linkerName: String
    package var name: String
    package var module: String
    package var section: String
    package var bytes: UInt64
    /// Nil: not watched.
    package var isCalled: Bool?

    package var shortName: String {
      FunctionIdentity(name: linkerName, demangled: name).shownName
    }
  }

  package var path: String
  package var fileSize: UInt64
  /// The sections by size, and the bytes between them. Their sum is the file's size.
  package var sections: [Part]
  /// The modules by size.
  package var modules: [Module]
  /// Bytes that belong to no module, by purpose. With the modules, their sum is the file's size.
  package var others: [Part]
  /// By bytes of all copies.
  package var specialized: [Specialized]
  /// By size.
  package var symbols: [Symbol]
  /// Whether the profile of a run was given.
  package var isWatched: Bool
  package var hasLocalSymbols: Bool
  /// Whether the sizes include what a compiler added to observe the program.
  package var isInstrumented = false
}

/// The owner of a module.
package enum ModuleOwner: Hashable, Sendable {
  case own
  /// A package or folder of third-party code.
  case dependency(String)
  /// Swift's libraries and the C library.
  case toolchain
  case unknown

  package var text: String {
    switch self {
    case .own: "own"
    case .dependency(let name): name
    case .toolchain: "toolchain"
    case .unknown: ""
    }
  }
}

/// The module of a symbol, for `SizeReport`.
struct SymbolOwner: Hashable, Sendable {
  var module: String
  var owner: ModuleOwner

  /// For code and data whose module neither a name nor debug information shows.
  static let unknown = SymbolOwner(module: "unknown origin", owner: .unknown)
}
