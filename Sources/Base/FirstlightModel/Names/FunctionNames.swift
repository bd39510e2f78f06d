import Synchronization

/// The names of a function, which all its records share, and what they say: parsed at the first question, and kept.
package final class FunctionNames: Sendable {
  /// The linker's name; empty if no symbol starts at the entry.
  package let linker: String
  /// For people; equals the linker's if that is not mangled.
  package let readable: String
  /// The Swift module; empty for other languages.
  package let module: String
  private let parsed = Mutex<FunctionIdentity?>(nil)

  package init(linker: String, readable: String, module: String) {
    self.linker = linker
    self.readable = readable
    self.module = module
  }

  package var identity: FunctionIdentity {
    parsed.withLock { parsed in
      if let parsed { return parsed }
      let identity = FunctionIdentity(name: linker, demangled: readable)
      parsed = identity
      return identity
    }
  }
}

extension FunctionNames: Hashable {
  package static func == (one: FunctionNames, other: FunctionNames) -> Bool {
    one === other
      || one.linker == other.linker && one.readable == other.readable && one.module == other.module
  }

  package func hash(into hasher: inout Hasher) {
    for text in [linker, readable, module] { TextBytes(text).hash(into: &hasher) }
  }
}
