/// Traits of a symbol beside its names: kind, language and properties.
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
  /// `indexstore_symbol_property_t`.
  var properties: UInt32

  package init(
    kind: IndexSymbolKind, language: Language = .swift, access: Access = .internal,
    isUnitTest: Bool = false
  ) {
    self.kind = kind
    self.language = language
    properties = access.rawValue << 17 | (isUnitTest ? Self.unitTest : 0)
  }

  init(kind: UInt32, language: UInt32, properties: UInt32) {
    self.kind = IndexSymbolKind(rawValue: kind) ?? .unknown
    self.language = Language(rawValue: language) ?? .c
    self.properties = properties
  }

  private static let unitTest: UInt32 = 1 << 3

  /// Swift's access level; unknown in other languages.
  package var access: Access { Access(rawValue: properties >> 17 & 7) ?? .unknown }

  /// Whether a test library runs it.
  package var isUnitTest: Bool { properties & Self.unitTest != 0 }
}
