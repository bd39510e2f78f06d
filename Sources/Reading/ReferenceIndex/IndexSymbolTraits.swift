/// What a symbol is, beside its names: kind, language and properties.
package struct IndexSymbolTraits: Hashable, Sendable {
  package enum Access: UInt32, Comparable, Sendable {
    case unknown = 0
    case lessThanFilePrivate = 1
    case filePrivate = 2
    case `internal` = 3
    case package = 4
    case systemInterface = 5
    case `public` = 6

    package static func < (first: Access, second: Access) -> Bool {
      first.rawValue < second.rawValue
    }
  }

  package enum Language: UInt32, Sendable {
    case c = 0
    case objectiveC = 1
    case cxx = 2
    case swift = 100
  }

  package var kind: IndexSymbolKind
  package var language: Language
  /// `indexstore_symbol_subkind_t`.
  var subkind: UInt32
  /// `indexstore_symbol_property_t`.
  var properties: UInt32

  package init(
    kind: IndexSymbolKind, language: Language = .swift, access: Access = .internal,
    isUnitTest: Bool = false
  ) {
    self.kind = kind
    self.language = language
    subkind = 0
    properties = access.rawValue << 17 | (isUnitTest ? Self.unitTest : 0)
  }

  init(kind: UInt32, subkind: UInt32, language: UInt32, properties: UInt32) {
    self.kind = IndexSymbolKind(rawValue: kind) ?? .unknown
    self.language = Language(rawValue: language) ?? .c
    self.subkind = subkind
    self.properties = properties
  }

  private static let unitTest: UInt32 = 1 << 3
  private static let local: UInt32 = 1 << 7

  /// As Swift declares it; unknown in other languages.
  package var access: Access { Access(rawValue: properties >> 17 & 7) ?? .unknown }

  /// Whether a test library runs it.
  package var isUnitTest: Bool { properties & Self.unitTest != 0 }

  /// Whether only the function that declares it can name it.
  package var isLocal: Bool { properties & Self.local != 0 }

  /// Whether it is a getter, a setter or the like: its variable is a symbol of its own.
  package var isAccessor: Bool {
    switch subkind {
    case 3, 4, 1000...1003, 1014...1018: true
    default: false
    }
  }
}
